package ipm_test
import ("testing";"context";"math/rand/v2";"github.com/dcopt/dcopt/qpbackend";"github.com/dcopt/dcopt/qpbackend/ipm")
func TestWExp(t *testing.T){
 for _,pert := range []float64{1e-4,1e-3,1e-2,.1,.3} {
 cold,warm,worse,cnt:=0,0,0,0
 for seed := range uint64(150) {
	p := mixed(seed); s := newCones(t, p, ipm.Backend{})
	first := solveCones(t, s, qpbackend.Solved)
	rng := rand.New(rand.NewPCG(seed, 9))
	q := append([]float64(nil),p.A.Val...); for i := range q { q[i] *= 1+pert * rng.NormFloat64() }
	s.Update(qpbackend.Update{A: q})
	var a,b qpbackend.Result
	s.Solve(context.Background(), &a); if a.Status!=qpbackend.Solved {continue}
	s.WarmStart(first.X, first.Y)
	s.Solve(context.Background(), &b); if b.Status!=qpbackend.Solved {t.Log("warm",b.Status)}
	cold+=a.Iterations; warm+=b.Iterations; cnt++; if b.Iterations>a.Iterations {worse++}
 }
 t.Log(pert,cnt,cold,warm,"worse",worse)
 }}
