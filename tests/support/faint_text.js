// The visible texts of a page whose contrast with what is behind them is below 4.5 to 1.
() => {
  const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const parse = (colour) => {
      if (!known.has(colour)) {
          pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
          const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
          known.set(colour, [r, g, b, a / 255]);
      }
      return known.get(colour);
  };
  const over = (top, below) => top.slice(0, 3).map((c, at) => c * top[3] + below[at] * (1 - top[3]));
  const behind = (element) => {
      const above = [];
      for (let at = element; at; at = at.parentElement) above.push(parse(getComputedStyle(at).backgroundColor));
      return above.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const light = (rgb) => rgb.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!node.data.trim() || element.closest('script, style, noscript, .sr, :disabled, option')) continue;
      if (!element.checkVisibility() || !element.getClientRects().length) continue;
      const style = getComputedStyle(element), below = behind(element);
      const ink = over(parse(element instanceof SVGElement ? style.fill : style.color), below);
      const [a, b] = [light(ink), light(below)];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (contrast < 4.5) found.push(`${contrast.toFixed(2)} ${element.tagName}.${element.className} ${node.data.trim().slice(0, 30)}`);
  }
  return found;
}
