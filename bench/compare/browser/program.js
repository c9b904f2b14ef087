// The program as seen by the page: jobs for its worker, one at a time.
"use strict";

const page = {};

// Returns the content of a packed part of the page.
page.unpack = async function (id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (each) => each.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
};

page.program = {
  worker: null,
  source: null,
  compiled: null,
  number: 0,
  job: null,

  async load() {
    const [loader, code] = await Promise.all([page.unpack("loader"), page.unpack("code")]);
    const text = [await loader.text(), document.getElementById("worker").textContent];
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

  receive(message) {
    if (!this.job || message.id !== this.job.id) return;
    if (message.percent !== undefined) {
      this.job.progress(message.percent);
      return;
    }
    const job = this.job;
    this.job = null;
    if (message.crash !== undefined) job.fail(new Error(message.crash));
    else job.done(message.result);
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
    if (!this.job) return;
    const job = this.job;
    this.job = null;
    this.worker.terminate();
    this.start();
    job.done(null);
  },
};
