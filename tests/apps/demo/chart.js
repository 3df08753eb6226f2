// The chart: bars or a ring on a canvas, and the reading under the pointer.
const COLOURS = { Food: '#1f7a5c', Home: '#d08c2f', Travel: '#3b6fb6', Fun: '#b5477d' };

export class Chart {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.style = 'bars';
    this.areas = [];
  }

  draw(sums) {
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.areas = [];
    if (this.style === 'bars') {
      this.drawBars(sums);
    } else {
      this.drawRing(sums);
    }
  }

  drawBars(sums) {
    const { width, height } = this.canvas;
    const highest = Math.max(1, ...sums.map(([, sum]) => sum));
    const step = width / Math.max(1, sums.length);
    sums.forEach(([category, sum], index) => {
      const tall = (sum / highest) * (height - 60);
      const area = { x: index * step + 24, y: height - 30 - tall, w: step - 48, h: tall, category, sum };
      this.areas.push(area);
      this.context.fillStyle = COLOURS[category];
      this.context.fillRect(area.x, area.y, area.w, area.h);
      this.label(category, area.x + area.w / 2, height - 10);
    });
  }

  drawRing(sums) {
    const { width, height } = this.canvas;
    const total = sums.reduce((all, [, sum]) => all + sum, 0);
    let angle = -Math.PI / 2;
    for (const [category, sum] of sums) {
      const next = angle + (sum / total) * Math.PI * 2;
      this.context.strokeStyle = COLOURS[category];
      this.context.lineWidth = 46;
      this.context.beginPath();
      this.context.arc(width / 2, height / 2, 95, angle, next);
      this.context.stroke();
      angle = next;
    }
    this.label(total.toFixed(2), width / 2, height / 2 + 5);
  }

  label(text, x, y) {
    this.context.fillStyle = getComputedStyle(this.canvas).color;
    this.context.font = '15px system-ui';
    this.context.textAlign = 'center';
    this.context.fillText(text, x, y);
  }

  at(x, y) {
    return this.areas.find((area) => x >= area.x && x <= area.x + area.w && y >= area.y && y <= area.y + area.h);
  }
}
