"use strict";
// Draws a plot above each table of figures: a line for each column. Days without a row are zero.
(() => {
  const day = 86400;
  const drawn = [];
  const styleOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  /** Data of a table for uPlot: the seconds of each day, then a list of figures per column. */
  function read(plot) {
    const table = plot.querySelector(".table table");
    const labels = [...table.querySelectorAll("thead th")].slice(1).map((head) => head.textContent.trim());
    const rows = new Map(
      [...table.querySelectorAll("tbody tr")].map((row) => {
        const [date, ...figures] = [...row.cells].map((cell) => cell.textContent.trim());
        return [date, figures.map((figure) => Number(figure.replaceAll(",", "")))];
      }),
    );
    const days = [];
    const [first, last] = [plot.dataset.first, plot.dataset.last].map((date) => Date.parse(date) / 1000);
    for (let time = first; time <= last; time += day) days.push(time);
    const figures = days.map((time) => rows.get(new Date(time * 1000).toISOString().slice(0, 10)));
    return { labels, data: [days, ...labels.map((_, place) => figures.map((row) => row?.[place] ?? 0))] };
  }

  function draw(plot) {
    const area = plot.querySelector(".plot-area");
    const { labels, data } = read(plot);
    const [text, grid, fill] = ["--muted", "--line", "--sunken"].map(styleOf);
    const dayOf = (time) => new Date(time * 1000).toISOString().slice(0, 10);
    const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const series = labels.map((label, place) => ({
      label,
      stroke: styleOf(`--plot-${(place % 7) + 1}`),
      width: 2,
      dash: place >= 4 ? [6, 4] : undefined,
      points: { show: data[0].length <= 31, size: 5, fill },
    }));
    area.replaceChildren();
    return new uPlot(
      {
        width: area.clientWidth,
        height: 240,
        tzDate: (time) => uPlot.tzDate(new Date(time * 1000), "Etc/UTC"),
        legend: { live: true },
        cursor: { y: false },
        scales: { y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] } },
        axes: [
          {
            ...axis,
            incrs: [1, 2, 7, 14, 30, 60, 90].map((days) => days * day),
            values: (_, times) => times.map((time) => dayOf(time).slice(5)),
          },
          {
            ...axis,
            size: 56,
            incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000, 100000, 1000000],
          },
        ],
        series: [{ label: "Day", value: (_, time) => (time === null ? "--" : dayOf(time)) }, ...series],
      },
      data,
      area,
    );
  }

  function drawAll() {
    for (const one of drawn.splice(0)) one.destroy();
    for (const plot of document.querySelectorAll(".plot")) drawn.push(draw(plot));
  }

  drawAll();
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  let waiting;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 100);
  });
})();
