// Runs long work in short slices, so that messages are answered in between.

const SLICE_MS = 8;

export class Jobs {
  private readonly jobs = new Map<string, Iterator<unknown>>();
  private readonly wake = new MessageChannel();
  private awake = false;  // a message for the next slice is on its way

  // `fail` takes the errors of jobs.
  constructor(private readonly fail: (error: unknown) => void) {
    this.wake.port1.onmessage = () => this.slice();
  }

  // Starts a job. It replaces a job of the same name. The job yields often.
  start(name: string, job: Iterator<unknown>): void {
    this.jobs.get(name)?.return?.();
    this.jobs.set(name, job);
    this.wakeUp();
  }

  // Asks for the next slice. Two messages would make two loops.
  private wakeUp(): void {
    if (this.awake || this.jobs.size === 0) return;
    this.awake = true;
    this.wake.port2.postMessage(null);
  }

  stopAll(): void {
    for (const job of this.jobs.values()) job.return?.();
    this.jobs.clear();
  }

  // Continues a job for a while. The jobs take turns.
  private slice(): void {
    this.awake = false;
    const [entry] = this.jobs;
    if (!entry) return;
    const [name, job] = entry;
    this.jobs.delete(name);
    try {
      if (!runUntil(job, performance.now() + SLICE_MS)) this.jobs.set(name, job);
    } catch (error) {
      this.fail(error);
    }
    this.wakeUp();
  }
}

// Returns true if the job ended before the time.
function runUntil(job: Iterator<unknown>, end: number): boolean {
  while (!job.next().done) if (performance.now() >= end) return false;
  return true;
}
