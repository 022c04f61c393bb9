// Draws the live charts with plotly in the colours of the page, light or dark, and again when those
// change. Without scripts, and on paper, the pictures stay.
"use strict";
(() => {
  const root = document.documentElement;
  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  function drawn(chart) {
    const data = JSON.parse(chart.querySelector("script").textContent);
    const ink = colour("--ink"), grid = colour("--grid");
    const axis = (title) => ({
      title: { text: title }, color: ink, gridcolor: grid, zerolinecolor: grid,
      linecolor: colour("--muted"), rangemode: "tozero", fixedrange: false,
    });
    const lines = data.lines.map((line) => ({
      type: "scatter", mode: "lines", name: plain(line.name), x: line.x, y: line.y,
      line: {
        color: colour(line.colour < 0 ? "--muted" : `--series-${line.colour}`),
        dash: line.dash, width: 2,
      },
      hovertemplate: "%{y:.4g}",
    }));
    const layout = {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: colour("--font"), size: 13, color: ink },
      margin: { l: 56, r: 12, t: 12, b: 48 }, height: 340,
      xaxis: axis(data.x), yaxis: axis(data.y), hovermode: "x unified",
      hoverlabel: { bgcolor: colour("--background"), font: { color: ink } },
      showlegend: data.lines.length > 1,
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
    };
    const settings = {
      responsive: true, displaylogo: false,
      modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
    };
    return Plotly.react(chart.querySelector(".live"), lines, layout, settings);
  }

  // plotly reads some tags in names; here a name is a name.
  function plain(text) {
    return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  }

  function drawAll() {
    for (const chart of document.querySelectorAll(".chart")) {
      chart.classList.add("is-live"); // first: what is hidden has no width to draw to
      drawn(chart);
    }
  }

  const button = document.getElementById("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  button.hidden = false;
  button.addEventListener("click", () => {
    const now = root.dataset.theme || (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    drawAll();
  });
  dark.addEventListener("change", drawAll);
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details")) part.open = true;
  });
  drawAll();
})();
