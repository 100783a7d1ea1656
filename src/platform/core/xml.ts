/**
 * Writes XML from text that was checked on input (see text.ts). Carriage returns, and in attributes also tabs and line
 * feeds, become character references: parsers would normalise them, and XML would then differ from JSON.
 */
const textEscapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }
const attributeEscapes: Record<string, string> = {
  ...textEscapes,
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
}

export const xmlDeclaration = '<?xml version="1.0" encoding="utf-8"?>'

export function xmlText(value: string): string {
  return value.replace(/[&<>\r]/g, character => textEscapes[character] ?? character)
}

export function xmlAttribute(name: string, value: string): string {
  return ` ${name}="${value.replace(/[&<>\r"\t\n]/g, character => attributeEscapes[character] ?? character)}"`
}

/** `<name>text</name>` */
export function xmlElement(name: string, value: string | number | boolean): string {
  return `<${name}>${xmlText(String(value))}</${name}>`
}

/** Requires `xmlns:xsi` on the root element. */
export function xmlNil(name: string): string {
  return `<${name} xsi:nil="true"/>`
}

export const xsiNamespace = xmlAttribute('xmlns:xsi', 'http://www.w3.org/2001/XMLSchema-instance')
