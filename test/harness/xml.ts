import { SaxesParser } from 'saxes'

export interface XmlNode {
  name: string
  attributes: Record<string, string>
  children: XmlNode[]
  text: string
}

/** A strict XML 1.0 parser that is not ours; throws if the text is not well-formed. */
export function parseXml(source: string): XmlNode {
  const parser = new SaxesParser()
  const document: XmlNode = { name: '', attributes: {}, children: [], text: '' }
  const open = [document]
  const current = () => open.at(-1) as XmlNode
  parser.on('error', error => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const node: XmlNode = {
      name,
      attributes: { ...attributes } as Record<string, string>,
      children: [],
      text: '',
    }
    current().children.push(node)
    open.push(node)
  })
  parser.on('text', text => {
    current().text += text
  })
  parser.on('closetag', () => {
    open.pop()
  })
  parser.write(source).close()
  return document.children[0] as XmlNode
}
