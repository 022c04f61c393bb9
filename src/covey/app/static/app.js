// The page, put together: what covey says at the start, the controls, and the answer to every change.

import { byId } from "./element.js";
import { begin, change, settle } from "./sheet.js";
import { draft, hasLink, keep, linked, memory, onLink, stampBefore } from "./memory.js";
import { notice } from "./notice.js";
import { request } from "./session.js";
import { startJumps } from "./jumping.js";
import { startBar } from "./bar.js";
import { startTeam } from "./team.js";
import { startHappens } from "./happens.js";
import { startSeen } from "./seen.js";
import { startMoment } from "./moment.js";
import { startPurpose } from "./purpose.js";
import { startDrawing } from "./drawing.js";
import { startEditor } from "./editor.js";
import { startWords } from "./words.js";
import { startHeadline } from "./headline.js";
import { startAnswer } from "./answer.js";
import { startSnapshots } from "./over_snapshots.js";
import { startTime } from "./over_time.js";
import { startHelps } from "./helps.js";
import { startStandIn } from "./stand_in.js";
import { startProtect } from "./protect.js";
import { startDesign } from "./design.js";
import { resumeCompare, startCompare } from "./compare.js";
import { startDownloads } from "./downloads.js";

async function start() {
  const answer = await request("/api/start");
  if (answer.status === 403) throw new Error("open the address that covey app printed");
  const said = await answer.json();
  for (const begun of [
    startHeadline, startTeam, startHappens, startSeen, startMoment, startPurpose, startEditor, startWords, startDrawing,
    startAnswer, startSnapshots, startTime, startHelps, startStandIn, startProtect, startDesign, startCompare,
  ]) begun();
  startBar(said);
  startDownloads(said.file);
  startJumps();
  const link = await linked();
  const kept = await draft(said.place, said.seal);
  keep(said.place);
  // A text that comes back is of the file as it was then: whoever saves it is told if that has changed.
  const before = link === null ? undefined : stampBefore();
  Object.assign(memory, { stamp: before ?? said.stamp, saved: said.wrong ? null : said.text });
  begin(link === null ? first(said, kept) : kept?.hash === location.hash ? kept.text : link);
  resumeCompare();
  if (said.wrong) notice(`${said.wrong}. This is what is left of it here.`, [["Go on", () => {}]]);
  else if (link === null && hasLink()) unreadable();
  onLink(follow);
  document.body.classList.add("is-ready");
}

// The draft where one was left behind, and the file has not changed since; else the file.
function first(said, kept) {
  if (!kept || kept.text === said.text) return said.text;
  if (said.wrong) return kept.text;
  if (kept.stamp === said.stamp) {
    const words = said.file ? `Take ${said.file} as it is` : "Start anew";
    notice("This is the draft from last time.", [[words, () => change(said.text)]]);
    return kept.text;
  }
  notice(`There is a draft from before ${said.file} changed.`, [["Take the draft", () => change(kept.text)]]);
  return said.text;
}

// Another link, opened where the page is already.
function follow(text) {
  if (text === null) return unreadable();
  settle();
  change(text);
}

function unreadable() {
  notice("The link cannot be read: a part of it is missing, most likely. This is what was here before.");
}

start().catch((error) => {
  const banner = byId("lost");
  banner.hidden = false;
  banner.textContent = `covey could not be reached (${error.message}). Reload the page when it runs, or open its address.`;
});
