// Questions to the server. Of each kind one is asked at a time: a new one cancels the one before it,
// and nothing of a cancelled one is heard again.

import { lost, found } from "./connection.js";
import { request } from "./session.js";

const TAB = crypto.randomUUID();
const asked = new Map();

// Asks, and calls `heard.part(name, value)`, `heard.progress({done, total, text})`,
// `heard.error({message, line, kind})` and in the end `heard.done({seconds})` as the lines come.
// `heard.lost()` where the server cannot be reached.
export async function ask(question, options, heard) {
  stop(question);
  const control = new AbortController();
  asked.set(question, control);
  const live = () => !control.signal.aborted;
  try {
    const answer = await request("/api/ask", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ question, tab: TAB, ...options }),
      signal: control.signal,
    });
    if (!answer.ok) throw await refusal(answer);
    found();
    for await (const line of lines(answer.body)) {
      if (!live()) return;
      if (hear(JSON.parse(line), heard)) return;
    }
    throw new TypeError("the answer was cut off");
  } catch (error) {
    if (!live()) return;
    if (error instanceof Refused) {
      heard.error?.({ message: error.message, line: null, kind: "input" });
      heard.done?.({ seconds: null });
    } else {
      lost(error);
      heard.lost?.();
    }
  } finally {
    if (asked.get(question) === control) asked.delete(question);
  }
}

// Cancels a question: the server hears it by the connection that ends.
export function stop(question) {
  asked.get(question)?.abort();
  asked.delete(question);
}

// Whether the line was the last one.
function hear(said, heard) {
  if ("part" in said) heard.part?.(said.part, said.value);
  else if ("progress" in said) heard.progress?.(said.progress);
  else if ("error" in said) heard.error?.(said.error);
  else if ("done" in said) heard.done?.(said.done);
  return "done" in said;
}

class Refused extends Error {}

// 4xx: the server is there, and says why it does not answer.
async function refusal(answer) {
  if (answer.status === 403) return new TypeError("403");
  const said = await answer.json().catch(() => ({}));
  return new Refused(said.message ?? `The server said ${answer.status}.`);
}

async function* lines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const all = (rest + value).split("\n");
      rest = all.pop();
      yield* all.filter((line) => line.trim());
    }
    if (rest.trim()) yield rest;
  } finally {
    reader.cancel().catch(() => {});
  }
}
