// @toon-format/toon, the reference implementation of TOON. Speaks as driver.py does.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { encode, decode } = await import(
  pathToFileURL(createRequire(`${process.argv[2]}/`).resolve("@toon-format/toon")).href
);

const toon = (text) => encode(JSON.parse(text));
// What resourceUsage says begins with the memory of the process that started this one.
function peak() {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
// Seconds of the processor, those of the threads that collect garbage included.
const used = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

function once({ text }) {
  const start = used();
  const out = toon(text);
  const seconds = used() - start;
  let back = null;
  let undecoded = "";
  try {
    back = JSON.stringify(decode(out));
  } catch (error) {
    undecoded = String(error).slice(0, 200);
  }
  return { out, back, undecoded, seconds };
}

function timed(request, base) {
  const text = readFileSync(request.path, "utf8");
  const until = performance.now() + 1000 * request.for;
  let seconds = Infinity;
  let runs = 0;
  let out = "";
  while (runs < 2 || performance.now() < until) {
    const start = used();
    out = toon(text);
    seconds = Math.min(seconds, used() - start);
    runs += 1;
  }
  return { seconds, runs, base, peak: peak(), out };
}

toon(JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id, name: `name ${id}` }))));
const base = peak();
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let answer;
  try {
    answer = "path" in request ? timed(request, base) : once(request);
  } catch (error) {
    answer = { error: String(error).slice(0, 200) };
  }
  console.log(JSON.stringify(answer));
}
