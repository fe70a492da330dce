// Everything on the page is drawn by this script: what is seen in the PDF proves that it ran.
const cards = [["Vessels in port", 37], ["Free berths", 12], ["Wind", "14 kn SW"], ["Water", "16.4 °C"]];
const arrivals = [
  ["Aurora", "Stavanger", "34.2 m", "N4"], ["Brigitte", "Den Helder", "18.0 m", "C12"], ["Kittiwake", "Lerwick", "11.6 m", "C3"],
  ["Marguerite", "Saint-Malo", "22.9 m", "S1"], ["Óðinn", "Reykjavík", "63.7 m", "Outer quay"], ["Swallow", "Harwich", "9.8 m", "C7"],
];

for (const [name, value] of cards) {
  const card = document.createElement("div");
  card.className = "card";
  card.innerHTML = `<b>${value}</b>${name}`;
  document.getElementById("cards").append(card);
}
for (const row of arrivals) {
  const tr = document.createElement("tr");
  row.forEach((cell, i) => {
    const td = document.createElement("td");
    td.textContent = cell;
    if (i === 2) td.className = "number";
    tr.append(td);
  });
  document.querySelector("#arrivals tbody").append(tr);
}

function drawTide() {
  const canvas = document.getElementById("tide"), c = canvas.getContext("2d");
  const level = (hour) => 2.1 + 1.4 * Math.sin((hour / 12.42) * 2 * Math.PI) + 0.2 * Math.sin(hour / 9);
  const x = (hour) => 40 + (hour / 48) * (canvas.width - 60), y = (m) => canvas.height - 30 - (m / 4.2) * (canvas.height - 50);
  c.font = "12px DejaVu Sans"; c.fillStyle = "#5b6b7b"; c.strokeStyle = "#d5dfe8";
  for (let m = 0; m <= 4; m++) {
    c.beginPath(); c.moveTo(40, y(m)); c.lineTo(canvas.width - 20, y(m)); c.stroke();
    c.fillText(`${m} m`, 8, y(m) + 4);
  }
  for (let hour = 0; hour <= 48; hour += 6) c.fillText(`${hour} h`, x(hour) - 10, canvas.height - 8);
  c.strokeStyle = "#0a5c8c"; c.lineWidth = 2.5; c.beginPath();
  for (let hour = 0; hour <= 48; hour += 0.25) c.lineTo(x(hour), y(level(hour)));
  c.stroke();
}
requestAnimationFrame(() => {
  drawTide();
  document.getElementById("subtitle").textContent = "drawn by script after the page was loaded";
  document.body.classList.add("ready");
});
