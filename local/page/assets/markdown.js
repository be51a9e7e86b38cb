import { element } from './dom.js';

/**
 * A text in Markdown as elements: headings, lists, tables, rules, paragraphs; in a line code, strong, emphasis and links.
 * CloudWatch's own: `[text](#dashboards:name=Other)` and `[button:primary:text](address)`. Nothing else of a text becomes markup.
 *
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function markdown(text) {
  /** @type {HTMLElement[]} */
  const made = [];
  const lines = text.split('\n');
  /** @param {RegExp} pattern */
  const take = (pattern) => {
    const taken = [];
    while (lines[0] !== undefined && pattern.test(lines[0])) taken.push(lines.shift() ?? '');
    return taken;
  };
  while (lines.length > 0) {
    const line = lines[0] ?? '';
    const heading = /^(#{1,6})\s+(.*?)#*$/.exec(line);
    if (line.trim() === '') lines.shift();
    else if (heading) {
      lines.shift();
      const level = /** @type {'h2'} */ (`h${Math.min(6, (heading[1] ?? '').length + 1)}`);
      made.push(element(level, {}, ...inline(heading[2] ?? '')));
    } else if (/^\s*(-{3,}|\*{3,}|_{3,})\s*$/.test(line)) {
      lines.shift();
      made.push(element('hr'));
    } else if (/^\s*[-*+]\s+/.test(line))
      made.push(element('ul', {}, ...take(/^\s*[-*+]\s+/).map((item) => listItem(item, /^\s*[-*+]\s+/))));
    else if (/^\s*\d+[.)]\s+/.test(line))
      made.push(element('ol', {}, ...take(/^\s*\d+[.)]\s+/).map((item) => listItem(item, /^\s*\d+[.)]\s+/))));
    else if (line.includes('|') && /^[\s|:-]*-[\s|:-]*$/.test(lines[1] ?? '')) made.push(table(take(/\|/)));
    else {
      const paragraph = take(/^(?!#{1,6}\s|\s*[-*+]\s|\s*\d+[.)]\s|\s*$)/);
      // A line that no other rule takes and that this does not begin with is taken as it is.
      made.push(
        element('p', {}, ...inline((paragraph.length > 0 ? paragraph : [lines.shift() ?? '']).join(' '))),
      );
    }
  }
  return made;
}

/**
 * @param {string} text
 * @param {RegExp} mark
 */
const listItem = (text, mark) => element('li', {}, ...inline(text.replace(mark, '')));

/** @param {string[]} lines */
function table(lines) {
  const [head = [], , ...rows] = lines.map((line) =>
    line
      .replace(/^\s*\||\|\s*$/g, '')
      .split('|')
      .map((cell) => cell.trim()),
  );
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...head.map((cell) => element('th', {}, ...inline(cell))))),
    element(
      'tbody',
      {},
      ...rows.map((row) => element('tr', {}, ...row.map((cell) => element('td', {}, ...inline(cell))))),
    ),
  );
}

/**
 * @param {string} text
 * @returns {(Node | string)[]}
 */
function inline(text) {
  const found = /`([^`]+)`|\*\*(.+?)\*\*|\*([^*\s][^*]*?)\*|\[([^\]]+)\]\(([^)\s]+)\)/.exec(text);
  if (!found) return text === '' ? [] : [text];
  const [whole, code, strong, emphasis, label, address] = found;
  const before = text.slice(0, found.index);
  const made =
    code !== undefined
      ? element('code', {}, code)
      : strong !== undefined
        ? element('strong', {}, ...inline(strong))
        : emphasis !== undefined
          ? element('em', {}, ...inline(emphasis))
          : link(label ?? '', address ?? '');
  return [...(before === '' ? [] : [before]), made, ...inline(text.slice(found.index + whole.length))];
}

/**
 * @param {string} label
 * @param {string} address
 */
function link(label, address) {
  const button = /^button:(?:primary:)?(.*)$/.exec(label);
  const text = button?.[1] ?? label;
  /** @type {Record<string, string>} */
  const attributes = button ? { class: 'button' } : {};
  const other = /#dashboards(?:\/dashboard\/|:name=)([\w-]+)/.exec(address)?.[1];
  if (other !== undefined) return element('a', { ...attributes, href: other }, text);
  // No other address can do harm, or lead anywhere.
  if (/^(https?:\/\/|#|\/)/.test(address))
    return element('a', { ...attributes, href: address, rel: 'noreferrer' }, text);
  return text;
}
