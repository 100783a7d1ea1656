import type { Tokens } from 'marked'
import { Html, html } from '../../web/html.ts'
import { type DeskAddresses, placed } from './addresses.ts'
import { codeBlock, heading } from './markup.ts'
import type { Section } from './navigation-markup.ts'

export interface Guide {
  title: string
  body: Html
  sections: Section[]
}

/** Where the files that guides link to are found on the desk. */
const deskLinks: Record<string, string> = {
  'docs/integrating/sharing.md': '/docs/share',
  'docs/integrating/collecting.md': '/docs/collect',
  'docs/integrating/polling.md': '/docs/polling',
  'docs/integrating/applying.md': '/docs/apply',
  'docs/developers/start.md': '/docs',
  'spec/problems.md': '/docs/errors',
  'src/limits.ts': '/docs/limits',
  samples: '/docs/samples',
  'spec/openapi.json': '/docs/reference',
}

/** A link of the file at `path`, as it is on the desk. One that leads nowhere is a mistake of ours, told at once. */
function deskLink(path: string, link: string): string {
  if (/^([a-z]+:|#)/.test(link)) return link
  const { pathname, hash } = new URL(link, `file:///${path}`)
  const target = deskLinks[pathname.replace(/^\/|\/$/g, '')]
  if (target === undefined) throw new Error(`${path} links to ${link}, which is not on the desk`)
  return target + hash
}

/** As hosts of Markdown make them, so that a link into a section works in the repository and here. */
function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

/** A guide of the repository as a part of a page. Its title is the one heading of the first level. */
export async function renderGuide(path: string, markdown: string, addresses: DeskAddresses): Promise<Guide> {
  // Loaded with the first guide that somebody reads: a service starts faster without.
  const { Marked } = await import('marked')
  const sections: Section[] = []
  let title = ''
  let blocks = 0
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading): string {
        if (depth === 1) {
          title = text
          return ''
        }
        const words = plain(tokens)
        const id = anchorOf(words)
        if (depth === 2) sections.push({ id, label: words })
        return heading(depth === 2 ? 2 : 3, id, new Html(this.parser.parseInline(tokens))).text
      },
      code({ text }: Tokens.Code): string {
        blocks += 1
        return codeBlock(`code-${blocks}`, placed(text, addresses)).text
      },
      link({ href, tokens }: Tokens.Link): string {
        const target = placed(deskLink(path, href), addresses)
        const words = placed(this.parser.parseInline(tokens), addresses)
        return html`<a href="${target}">${new Html(words)}</a>`.text
      },
      table({ header, rows }: Tokens.Table): string {
        const cell = ({ tokens }: Tokens.TableCell) => new Html(this.parser.parseInline(tokens))
        // A column without a title has no header: an empty one would be read out.
        const head = header.map(column =>
          column.text === '' ? html`<td></td>` : html`<th scope="col">${cell(column)}</th>`,
        )
        return html`<table class="guide"><thead><tr>${head}</tr></thead><tbody>${rows.map(
          row => html`<tr>${row.map(each => html`<td>${cell(each)}</td>`)}</tr>`,
        )}</tbody></table>`.text
      },
      // Guides are words: what looks like markup is shown as it is written.
      html({ text }: Tokens.HTML | Tokens.Tag): string {
        return html`${text}`.text
      },
      codespan({ text }: Tokens.Codespan): string {
        return html`<code>${placed(text, addresses)}</code>`.text
      },
    },
  })
  return { body: new Html(await marked.parse(markdown)), title, sections }
}

/** The words of a heading, without what marks them. */
function plain(tokens: readonly { text?: string; raw: string }[]): string {
  return tokens.map(({ text, raw }) => text ?? raw).join('')
}
