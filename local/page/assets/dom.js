/**
 * Makes an element. Texts are set as texts, never parsed, so that nothing of a message can become markup.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * Makes an SVG element.
 *
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * The element with that id, which the page is known to have.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element "${id}"`);
  return found;
}

/**
 * Sets a text only when it changed: a screen reader is not told the same again each second.
 *
 * @param {Element} target
 * @param {string} text
 */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/**
 * A list of named figures that is updated in place.
 *
 * @param {Element} list
 */
export function figureList(list) {
  /** @type {Map<string, HTMLElement>} */
  const values = new Map();
  /**
   * @param {string} name
   * @param {string} value
   * @param {'' | 'ok' | 'bad'} [tone]
   */
  return (name, value, tone = '') => {
    let shown = values.get(name);
    if (!shown) {
      shown = element('dd');
      values.set(name, shown);
      list.append(element('div', {}, element('dt', {}, name), shown));
    }
    setText(shown, value);
    shown.className = tone;
  };
}
