// Makes the charts live, and light or dark the reader's choice. Without scripts, and on paper, the
// pictures stay.

const root = document.documentElement;
const button = document.getElementById("theme");
button.hidden = false;
button.addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme || (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
});
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
});
for (const figure of document.querySelectorAll(".chart")) {
  const data = JSON.parse(figure.querySelector("script").textContent);
  explore(new Chart(figure, data, figure.querySelector(".picture svg").getAttribute("aria-label")));
}
