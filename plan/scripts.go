package plan

import (
	"errors"
	"fmt"
	"strings"
)

// Job says how a plan is given to a scheduler.
type Job struct {
	Plan    string // path of the file of the plan, as the machines see it
	Out     string // folder of results, as the machines see it
	Data    string // folder with data that are not in the plan, as the machines see it; "": where they were
	Program string // the program; "": dcopt
	Tasks   int    // of the array, at least 1; task i computes the shards i, i+Tasks, …
	CPUs    int    // per task, at least 1
	Memory  string // per task as the scheduler has it, such as 2G; "": its default
	Time    string // limit per task as the scheduler has it; "": its default
	Image   string // of Kubernetes: the container with the program
	Claim   string // of Kubernetes: the volume claim that holds the plan and gets the results
}

// mostTasks bounds the tasks of an array.
// Source: MaxArraySize of Slurm is 1001 unless the site says otherwise, slurm.conf(5); a Job of
// Kubernetes has at most 10^5 indexes.
const (
	mostTasks      = 100_000
	UsualArraySize = 1000
)

func (j *Job) check(p *Plan) error {
	switch {
	case j.Tasks < 1 || j.Tasks > min(mostTasks, p.Shards):
		return fmt.Errorf("%d tasks, want from 1 to %d", j.Tasks, min(mostTasks, p.Shards))
	case j.CPUs < 1:
		return fmt.Errorf("%d processors per task, want at least 1", j.CPUs)
	case j.Plan == "" || j.Out == "":
		return errors.New("a job wants the file of the plan and a folder of results")
	}
	for _, s := range []string{j.Plan, j.Out, j.Data, j.Program, j.Memory, j.Time, j.Image, j.Claim} {
		if strings.ContainsAny(s, "\n\r\x00") {
			return fmt.Errorf("%q does not fit on a line", s)
		}
	}
	return nil
}

// shell quotes a word for a POSIX shell.
func shell(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("/._-+:=@", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Slurm is the script of an array job for sbatch(1). A task that is submitted again computes
// the results that are missing and no other.
func (j *Job) Slurm(p *Plan) (string, error) {
	if err := j.check(p); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n# Plan %s: %d shards. Submit with sbatch, again after failures: what is there stays.\n",
		p.ID(), p.Shards)
	fmt.Fprintf(&b, "#SBATCH --job-name=dcopt-%s\n#SBATCH --array=0-%d\n", p.ID(), j.Tasks-1)
	fmt.Fprintf(&b, "#SBATCH --cpus-per-task=%d\n#SBATCH --requeue\n", j.CPUs)
	if j.Memory != "" {
		fmt.Fprintf(&b, "#SBATCH --mem=%s\n", j.Memory)
	}
	if j.Time != "" {
		fmt.Fprintf(&b, "#SBATCH --time=%s\n", j.Time)
	}
	fmt.Fprintf(&b, "export GOMAXPROCS=\"${SLURM_CPUS_PER_TASK:-%d}\"\n", j.CPUs)
	fmt.Fprintf(&b, "exec %s shard run %s --index \"$SLURM_ARRAY_TASK_ID\" --of %d --out %s", shell(j.program()),
		shell(j.Plan), j.Tasks, shell(j.Out))
	if j.Data != "" {
		fmt.Fprintf(&b, " --data %s", shell(j.Data))
	}
	b.WriteByte('\n')
	return b.String(), nil
}

func (j *Job) program() string {
	if j.Program == "" {
		return "dcopt"
	}
	return j.Program
}

// Kubernetes is an indexed Job as YAML: Kubernetes, Jobs, completion mode Indexed. The volume
// claim is mounted at /dcopt; the paths of the plan, of the results and of data are relative to it.
func (j *Job) Kubernetes(p *Plan) (string, error) {
	if err := j.check(p); err != nil {
		return "", err
	}
	if j.Image == "" || j.Claim == "" {
		return "", errors.New("a Job of Kubernetes wants a container image and a volume claim")
	}
	quantities := fmt.Sprintf("cpu: \"%d\"", j.CPUs)
	if j.Memory != "" {
		quantities += fmt.Sprintf(", memory: %s", yaml(j.Memory))
	}
	data := ""
	if j.Data != "" {
		data = fmt.Sprintf("\n            - --data\n            - %s", yaml(j.Data))
	}
	return fmt.Sprintf(`# Plan %s: %d shards. Apply with kubectl; after failures delete the Job and apply it
# again: results that are there stay.
apiVersion: batch/v1
kind: Job
metadata:
  name: dcopt-%[1]s
spec:
  completionMode: Indexed
  completions: %[3]d
  parallelism: %[3]d
  backoffLimitPerIndex: 5
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: dcopt
          image: %[4]s
          workingDir: /dcopt
          command:
            - %[5]s
            - shard
            - run
            - %[6]s
            - --index
            - $(JOB_COMPLETION_INDEX)
            - --of
            - "%[3]d"
            - --out
            - %[7]s%[11]s
          env:
            - name: GOMAXPROCS
              value: "%[8]d"
          resources:
            requests: {%[9]s}
          volumeMounts:
            - {name: dcopt, mountPath: /dcopt}
      volumes:
        - name: dcopt
          persistentVolumeClaim:
            claimName: %[10]s
`, p.ID(), p.Shards, j.Tasks, yaml(j.Image), yaml(j.program()), yaml(j.Plan), yaml(j.Out), j.CPUs,
		quantities, yaml(j.Claim), data), nil
}

// yaml is a string as a double-quoted scalar of YAML. $ is doubled: Kubernetes expands
// $(NAME) in commands.
func yaml(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "$", "$$").Replace(s) + `"`
}
