//go:build lean

package arrays

// OpenNPZ refuses: a build with the tag lean, as browsers load it, has no reader of zip
// archives.
func OpenNPZ([]byte) (*Archive, error) {
	return nil, wrong("this build reads no .npz files; save the array with numpy.save as .npy, or as .csv or .mtx")
}
