// The worker: runs the program, each time in a new memory. The program's own loader, `hbmProgram`, is above this text.
"use strict";

const outputLimit = 64 << 20, gzipLimit = 512 << 20;
let compiled = null, current = 0;

// Bytes that the program writes, one at a time.
class Written {
  constructor() { this.bytes = new Uint8Array(1 << 16); this.size = 0; }
  add(byte) {
    if (byte === null || this.size === outputLimit) return;
    if (this.size === this.bytes.length) {
      const larger = new Uint8Array(this.size * 2);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes[this.size++] = byte;
  }
  text() { return new TextDecoder().decode(this.bytes.subarray(0, this.size)); }
}

// Posts the percentage in the line of progress, at each percent sign.
function reportProgress({ bytes, size }) {
  if (bytes[size - 1] !== 37) return;
  const number = /([0-9]+) $/.exec(String.fromCharCode(...bytes.subarray(Math.max(0, size - 5), size - 1)));
  if (number) postMessage({ id: current, percent: Number(number[1]) });
}

// Returns what is written without the lines of progress. They erase themselves, except before the error that ends a
// program without memory.
function withoutProgress(text) {
  return text.split("\r\x1b[K").map((part) => part.replace(/^\[[#.]{20}\][^\n]*?(?=hbm_compare: |$)/, "")).join("");
}

// Unpacks gzip data. What a browser cannot unpack, or is too large, stays as it is, and the program names the error.
async function unpacked(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader(), parts = [];
  let size = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      size += part.value.length;
      if (size > gzipLimit) return bytes;
    }
  } catch {
    return bytes;
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// Returns a new instance of the program with these files in its working folder.
async function makeProgram(files, out, err) {
  const contents = [];
  for (const { path, data } of files)
    contents.push([path, typeof data === "string" ? new TextEncoder().encode(data) : await unpacked(new Uint8Array(await data.arrayBuffer()))]);
  return hbmProgram({
    noInitialRun: true,
    thisProgram: "hbm_compare",
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(compiled, imports).then((instance) => done(instance, compiled));
      return {};
    },
    preRun: [({ FS }) => {
      FS.init(() => null, out, err);
      FS.mkdir("/files");
      FS.chdir("/files");
      for (const [path, bytes] of contents) {
        FS.mkdirTree(`/files/${path}`.replace(/\/[^/]*$/, ""));
        FS.writeFile(path, bytes);
      }
    }],
  });
}

// The options that a path gets by its content. Without the memory to look, those of a trace: the run then names the error.
function optionsOf(instance, path) {
  try {
    return instance.ccall("hbm_options_of", "string", ["string"], [path]);
  } catch (error) {
    if (error.name !== "ExitStatus") throw error;
    return "--trace";
  }
}

const jobs = {
  // The options that each path gets by its content.
  async look({ files, paths }) {
    const instance = await makeProgram(files, () => {}, () => {});
    return paths.map((path) => optionsOf(instance, path));
  },

  // The result of a command line: its texts, its exit status, and the report if it wrote one.
  async run({ files, words }) {
    const out = new Written(), err = new Written();
    const instance = await makeProgram(files, (byte) => out.add(byte), (byte) => { err.add(byte); reportProgress(err); });
    const status = instance.callMain(words);
    const page = instance.FS.analyzePath("report.html").exists ? instance.FS.readFile("report.html", { encoding: "utf8" }) : null;
    return { status, out: out.text(), err: withoutProgress(err.text()), page };
  },
};

onmessage = async ({ data: job }) => {
  if (job.compiled) {
    compiled = job.compiled;
    return;
  }
  current = job.id;
  try {
    postMessage({ id: job.id, result: await jobs[job.what](job) });
  } catch (error) {
    postMessage({ id: job.id, crash: String(error) });
  }
};

// The loader starts the program in a promise of its own.
onunhandledrejection = (event) => postMessage({ id: current, crash: String(event.reason) });
