// The worker: runs the program, each time in a new memory. The program's own loader, `hbmProgram`, is above this text.
"use strict";

const outputLimit = 64 << 20, gzipTimes = 256, gzipAlways = 32 << 20;
let compiled = null, current = 0;

// Bytes that the program writes, one at a time.
class Written {
  constructor() { this.bytes = new Uint8Array(1 << 16); this.size = 0; }
  add(byte) {
    if (this.size === outputLimit) return;
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
function reportProgress(written, job) {
  if (written.bytes[written.size - 1] !== 37) return;
  const digits = String.fromCharCode(...written.bytes.subarray(Math.max(0, written.size - 5), written.size - 1));
  const number = /([0-9]+) $/.exec(digits);
  if (number) postMessage({ id: job.id, percent: Number(number[1]) });
}

// Returns what is written without the lines of progress. They erase themselves, except before the error that ends a
// program without memory.
function withoutProgress(text) {
  return text.split("\r\x1b[K").map((part) => part.replace(/^\[[#.]{20}\][^\n]*?(?=hbm_compare: |$)/, "")).join("");
}

// Unpacks one member of gzip data. Returns its bytes, null if it is damaged, or `limit` if it is larger than that.
async function unpackedMember(bytes, limit) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader(), parts = [];
  let size = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      size += part.value.length;
      if (size > limit) return limit;
    }
  } catch (error) {
    return null;
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// Yields where members of gzip data may end: before what looks like another, at the end of the data, and among the zeros
// that fill a block, of which the last member owns at most ten.
function* memberEnds(bytes, zeros) {
  for (let at = 18; at < bytes.length; ++at) {
    if (bytes[at] === 0x1f && bytes[at + 1] === 0x8b && bytes[at + 2] === 8) yield at;
  }
  yield bytes.length;
  for (let at = zeros; at < Math.min(zeros + 10, bytes.length); ++at) yield at;
}

// Unpacks gzip data, member by member: browsers refuse data behind the first and do not say where it ends, so the ends
// are guessed. What cannot be unpacked stays packed, and is marked for the program, which names the error: no method of
// compression means too large.
async function unpacked(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const zeros = bytes.findLastIndex((byte) => byte !== 0) + 1;
  const limit = Math.max(gzipTimes * bytes.length, gzipAlways), parts = [];
  let size = 0, from = 0, guesses = 0;
  for (const to of memberEnds(bytes, zeros)) {
    const part = await unpackedMember(bytes.subarray(from, to), limit - size);
    if (part === null) {
      if (++guesses > 100) break;
      continue;
    }
    if (part === limit - size) {
      const marked = bytes.slice();
      marked[2] = 0;
      return marked;
    }
    parts.push(part);
    size += part.length;
    from = to;
    if (from >= zeros) break;
  }
  return from >= zeros ? new Uint8Array(await new Blob(parts).arrayBuffer()) : bytes;
}

// Returns [path, bytes] of each file.
async function contents(files) {
  const made = [];
  for (const { path, data } of files) {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(await data.arrayBuffer());
    made.push([path, await unpacked(bytes)]);
  }
  return made;
}

// Returns a new instance of the program with these files in its working folder.
function makeProgram(files, columns, out, err) {
  return hbmProgram({
    noInitialRun: true,
    thisProgram: "hbm_compare",
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(compiled, imports).then((instance) => done(instance, compiled));
      return {};
    },
    preRun: [(program) => {
      const { FS, ENV } = program;
      FS.init(() => null, out, err);
      if (columns) ENV.COLUMNS = String(columns);
      FS.mkdir("/files");
      FS.chdir("/files");
      for (const [path, bytes] of files) {
        FS.mkdirTree(`/files/${path}`.replace(/\/[^/]*$/, ""));
        FS.writeFile(path, bytes);
      }
    }],
  });
}

// The options that a path gets by its content. Without the memory to look, those of a trace: the run then names the error.
function optionsOf(program, path) {
  try {
    return program.ccall("hbm_options_of", "string", ["string"], [path]);
  } catch (error) {
    if (error.name !== "ExitStatus") throw error;
    return "--trace";
  }
}

const jobs = {
  // The options that each path gets by its content, and the names of the devices.
  async look(job) {
    const program = await makeProgram(await contents(job.files), 0, () => {}, () => {});
    const options = job.paths.map((path) => optionsOf(program, path));
    return { options, devices: program.ccall("hbm_generations", "string", [], []).split(" ") };
  },

  // The result of a command line: its texts, its exit status, and the files that it was to write.
  async run(job) {
    const out = new Written(), err = new Written();
    const program = await makeProgram(await contents(job.files), job.columns, (byte) => byte !== null && out.add(byte),
      (byte) => { if (byte !== null) { err.add(byte); reportProgress(err, job); } });
    const status = program.callMain(job.words);
    const outputs = job.outputs.map((path) =>
      program.FS.analyzePath(path).exists ? program.FS.readFile(path, { encoding: "utf8" }) : null);
    return { status, out: out.text(), err: withoutProgress(err.text()), outputs };
  },
};

onmessage = async (event) => {
  const job = event.data;
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
