package study

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// PMLB is where the Penn Machine Learning Benchmarks are, a folder for each set.
const PMLB = "https://github.com/EpistasisLab/pmlb/raw/master/datasets"

type paperSet struct{ name, sum string }

// paperSets are the sets of the paper, its D1 to D17, with the SHA-256 of their files.
var paperSets = []paperSet{
	{"485_analcatdata_vehicle", "9693036bcd74262526987481e5d29de8ff903a89d61dc9f1a7efef4d4c323a7a"},
	{"560_bodyfat", "479f25b491115302fb2adaaa80f2670ab812154007d68ec5c566a45f6210d04d"},
	{"712_chscase_geyser1", "9231e5c6bb08d6a7fab8509e4a8330063a5e3da77b75ff3b9dc412557ed3e334"},
	{"210_cloud", "b37f4cadb793dfd597f264f408bd0e55553efff699ed090e55f92ebc1688eaf0"},
	{"561_cpu", "89f895f7be5f4005731ba28d018c1660ffee114af13d5e62edd90f17a6ec209a"},
	{"228_elusage", "3928945d6aa3bf9ed029c35c270e8791cfd127d1641dc7e0b655ff069b8af480"},
	{"230_machine_cpu", "937b0a23076f948343b8b7ac005bc70ea7080c391218fb4896462699b8cb59c4"},
	{"522_pm10", "ecbabaa5a989a8c11f5a57e874c135f386da5379d6689ae6d5d4264a652fa5e0"},
	{"229_pwLinear", "b815690f48bb9680c2c997c9190b826099d93178f6d948c2b525b44b3672f0c1"},
	{"663_rabe_266", "361eae2fa7d1210720623958adc10debe35eadf7c23deace7fa71cd89df604bc"},
	{"666_rmftsa_ladata", "955f006886606699ceab5fb38693e4fe10f74f450a2fd6dfd75af09b8b134d31"},
	{"706_sleuth_case1202", "9266fa48c776ff241b665769a932ecf184defed1ccbb47b87a0930c78dedc7ab"},
	{"687_sleuth_ex1605", "a5a5d15adf74702c323b62b595cdefcdd157f68ebd86af5e504bc16c9890c2ff"},
	{"192_vineyard", "55dbc985067fc77003b9eeabd829198669ae84868f6e8c3cf35031bf846571a4"},
	{"519_vinnie", "169d0f9b431d5620ad17a9733ffcce28696fc0b4b31e661c8339d9f3c6bf4caa"},
	{"678_visualizing_environmental", "996db450c025b7586db095411d743fa8632c3e810f60435b6150c3869972c37f"},
	{"690_visualizing_galaxy", "5fe909e08a622224135a2dcfd409bbe10abab4919f917a07b771c3fb00580852"},
}

// fetchTime is the longest that a file may take; the largest has 19 kB.
const fetchTime = 2 * time.Minute

// largestFile is more than any of the files has, in bytes.
const largestFile = 1 << 20

// Fetch puts the files of the paper's sets into dir, from the folder base of a
// server. Those that are there already, by their checksums, are not asked for
// again: an interrupted Fetch goes on, and a finished one needs no server. tell
// is called with the name of each set to fetch; nil: nobody.
func Fetch(ctx context.Context, base, dir string, tell func(set string)) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, set := range paperSets {
		file := set.name + ".tsv.gz"
		path := filepath.Join(dir, file)
		if data, err := os.ReadFile(path); err == nil && checksum(data) == set.sum {
			continue
		}
		if tell != nil {
			tell(set.name)
		}
		if err := fetch(ctx, base+"/"+set.name+"/"+file, path, set.sum); err != nil {
			return fmt.Errorf("%w; sets from elsewhere can be given as a folder", err)
		}
	}
	return nil
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// fetch writes the contents of url to path, whole or not at all.
func fetch(ctx context.Context, url, path, want string) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, res.Status)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, largestFile+1))
	if err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	if got := checksum(data); got != want {
		return fmt.Errorf("%s: not the expected file: its SHA-256 is %s, not %s", url, got, want)
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".part")
	if err != nil {
		return err
	}
	_, err = part.Write(data)
	if err = errors.Join(err, part.Chmod(0o666), part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return nil
}
