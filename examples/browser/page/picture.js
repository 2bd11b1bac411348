// The picture that the model sees of what was drawn: what examples/browser/picture.go does with the strokes that
// the model has learned from.

export const side = 28; // of a picture, in pixels
const box = 20; // that the ink fills, as in MNIST

// picture draws strokes, lists of points [x, y] in any unit, by a pen of the radius r in pixels. It returns
// side·side numbers from 0, paper, to 1, ink: the longer side of the strokes, pen and all, fills the box, and their
// centre of mass is the centre of the picture.
export function picture(strokes, r) {
  const out = new Float32Array(side * side);
  const points = strokes.flat();
  if (points.length === 0) {
    return out;
  }
  const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
  const left = least(xs), right = -least(xs.map((x) => -x)), top = least(ys), bottom = -least(ys.map((y) => -y));
  const long = Math.max(right - left, bottom - top);
  const scale = long > 0 ? (box - 2 * r) / long : 0; // 0 of a dot
  let dx = side / 2 - (scale * (left + right)) / 2, dy = side / 2 - (scale * (top + bottom)) / 2;
  ink(out, strokes, scale, dx, dy, r);
  let mass = 0, x = 0, y = 0;
  out.forEach((v, i) => {
    mass += v;
    x += v * ((i % side) + 0.5);
    y += v * (Math.floor(i / side) + 0.5);
  });
  dx += side / 2 - x / mass;
  dy += side / 2 - y / mass;
  ink(out, strokes, scale, dx, dy, r);
  return out;
}

const least = (v) => v.reduce((a, b) => Math.min(a, b), Infinity);

// ink draws the strokes, scaled and shifted, segment by segment on the pixels that it reaches: r + ½ - d for the
// distance d of a pixel's centre, within 0 and 1.
function ink(out, strokes, scale, dx, dy, r) {
  out.fill(0);
  const reach = r + 0.5;
  const pixels = (a, b) => [Math.max(Math.floor(Math.min(a, b) - reach), 0), Math.min(Math.ceil(Math.max(a, b) + reach), side)];
  for (const line of strokes) {
    line.forEach((p, j) => {
      const from = line[Math.max(j - 1, 0)];
      const a = [scale * from[0] + dx, scale * from[1] + dy], b = [scale * p[0] + dx, scale * p[1] + dy];
      const [left, right] = pixels(a[0], b[0]), [top, bottom] = pixels(a[1], b[1]);
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) {
          const i = y * side + x;
          out[i] = Math.max(out[i], Math.min(reach - toSegment(x + 0.5, y + 0.5, a, b), 1));
        }
      }
    });
  }
}

// toSegment is the distance of a point to the segment from a to b.
function toSegment(x, y, a, b) {
  const dx = b[0] - a[0], dy = b[1] - a[1], long = dx * dx + dy * dy;
  const t = long > 0 ? Math.min(Math.max(((x - a[0]) * dx + (y - a[1]) * dy) / long, 0), 1) : 0;
  return Math.hypot(x - a[0] - t * dx, y - a[1] - t * dy);
}
