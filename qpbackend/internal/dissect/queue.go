package dissect

// queue is a heap of vertices, the largest gain first, of equal ones the least vertex.
type queue struct {
	heap  []int32
	place []int32 // of a vertex in heap, plus one; 0 for none
	gain  []int32
}

func (q *queue) empty() {
	for _, v := range q.heap {
		q.place[v] = 0
	}
	q.heap = q.heap[:0]
}

// top is the largest gain.
func (q *queue) top() int32 { return q.gain[q.heap[0]] }

func (q *queue) push(v, gain int32) {
	q.gain[v] = gain
	q.heap = append(q.heap, v)
	q.place[v] = int32(len(q.heap))
	q.rise(len(q.heap) - 1)
}

// change gives v another gain. v need not be in the heap.
func (q *queue) change(v, gain int32) {
	q.gain[v] = gain
	if k := int(q.place[v]) - 1; k >= 0 {
		q.sink(q.rise(k))
	}
}

// remove takes v out. It need not be in the heap.
func (q *queue) remove(v int32) {
	k, last := int(q.place[v])-1, len(q.heap)-1
	if k < 0 {
		return
	}
	q.swap(k, last)
	q.heap = q.heap[:last]
	q.place[v] = 0
	if k < last {
		q.sink(q.rise(k))
	}
}

func (q *queue) before(a, b int) bool {
	v, w := q.heap[a], q.heap[b]
	return q.gain[v] > q.gain[w] || q.gain[v] == q.gain[w] && v < w
}

func (q *queue) swap(a, b int) {
	h := q.heap
	h[a], h[b] = h[b], h[a]
	q.place[h[a]], q.place[h[b]] = int32(a+1), int32(b+1)
}

func (q *queue) rise(k int) int {
	for k > 0 && q.before(k, (k-1)/2) {
		q.swap(k, (k-1)/2)
		k = (k - 1) / 2
	}
	return k
}

func (q *queue) sink(k int) {
	for c := 2*k + 1; c < len(q.heap); c = 2*k + 1 {
		if c+1 < len(q.heap) && q.before(c+1, c) {
			c++
		}
		if !q.before(c, k) {
			return
		}
		q.swap(k, c)
		k = c
	}
}
