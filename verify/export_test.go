package verify

// SetMostNumbers bounds trees for a test; the function that it returns ends that.
func SetMostNumbers(n int) (restore func()) {
	was := mostNumbers
	mostNumbers = n
	return func() { mostNumbers = was }
}
