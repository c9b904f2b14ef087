// The program as seen by the page: jobs for its worker, one at a time.

// Returns the content of a packed part of the page.
async function unpackPart(id) {
  const bytes = Uint8Array.from(atob(element(id).textContent.trim()), (each) => each.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

const program = {
  worker: null,
  source: null,
  compiled: null,
  number: 0,
  job: null,

  async load() {
    const [loader, code] = await Promise.all([unpackPart("loader"), unpackPart("code")]);
    const text = [await loader.text(), element("worker").textContent];
    this.source = URL.createObjectURL(new Blob(text, { type: "text/javascript" }));
    this.compiled = await WebAssembly.compile(await code.arrayBuffer());
    this.start();
  },

  start() {
    this.worker = new Worker(this.source);
    this.worker.onmessage = (event) => this.receive(event.data);
    this.worker.onerror = (event) => this.receive({ id: this.number, crash: event.message });
    this.worker.postMessage({ compiled: this.compiled });
  },

  receive({ id, percent, crash, result }) {
    const { job } = this;
    if (!job || id !== job.id) return;
    if (percent !== undefined) return job.progress(percent);
    this.job = null;
    if (crash !== undefined) job.fail(new Error(crash));
    else job.done(result);
  },

  // Returns the result of a job. A job that is at work is cancelled.
  ask(what, progress = () => {}) {
    this.cancel();
    const id = ++this.number;
    return new Promise((done, fail) => {
      this.job = { id, done, fail, progress };
      this.worker.postMessage({ ...what, id });
    });
  },

  // Ends the job at work, if there is one, with the worker. Its promise gets `null`.
  cancel() {
    const { job } = this;
    if (!job) return;
    this.job = null;
    this.worker.terminate();
    this.start();
    job.done(null);
  },
};
