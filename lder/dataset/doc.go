// Package dataset brings tables of numbers to a regressor and measures the errors of its
// predictions.
//
// [ReadFile] reads CSV and TSV files, gzip-compressed or not, into a [Table]. [Table.Supervised]
// splits it into features and target for training, and so does [Table.Take] without a copy.
// [Table.Matrix] picks the columns a trained model asks for by name, and [Table.Encode] also the
// meaning of the words of a [Category]. A [Stream] does the same block by block, for tables larger
// than the memory. Missing values are NaN throughout, until a [SimpleImputer] fills them.
//
// [StandardScaler], [KFold], [ShuffledKFold] and the metrics follow the
// conventions of scikit-learn, so that results can be compared fold by fold:
// Pedregosa et al., Scikit-learn: Machine Learning in Python, JMLR 12, 2011.
// The generator behind the shuffle is by Matsumoto and Nishimura,
// Mersenne Twister, ACM TOMACS 8, 1998. Tables are written as docs/data.md
// says; the reader is shared with the problem language.
package dataset
