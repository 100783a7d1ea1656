import type { Board } from '../../platform/core/brand/board.ts'
import { type Accent, accentsOf } from '../../platform/core/brand/colour.ts'
import { boardLocale } from '../../platform/core/locale.ts'
import { Html, html } from '../../platform/web/html.ts'
import { type Block, type EmailMessage, isolates } from './email-message.ts'
import type { Extras } from './post-service.ts'

export interface Sender extends Pick<Board, 'name' | 'contactUrl'> {
  colours: { light: Accent; dark: Accent } | undefined
}

/** Why the person gets this email, and a link to change that. */
export interface Reason {
  text: string
  label: string
  url: string
}

const reasons: Record<NonNullable<Extras['reason']>['topic'], string> = {
  receipts: 'You get this email because you applied for a job.',
  progress: 'You get this email because you applied for a job.',
  disclosures: 'You get this email because a new company got your data.',
  company: 'You get this email because you work for this company.',
}

export const reasonInWords = ({ topic, url }: NonNullable<Extras['reason']>): Reason => ({
  text: reasons[topic],
  label: 'Stop these emails',
  url,
})

export interface Rendered {
  subject: string
  text: string
  html: string
}

/** Renders both forms of an email, with the board's name and colour. */
export function renderEmailMessage(message: EmailMessage, sender: Sender, reason?: Reason): Rendered {
  return {
    subject: plain(message.subject),
    text: textOf(message, sender, reason),
    html: htmlOf(message, sender, reason),
  }
}

const anyIsolate = new RegExp(`[${isolates.join('')}]`, 'g')
const plain = (text: string) => text.replaceAll(anyIsolate, '')
const contactOf = (contactUrl: string) => contactUrl.replace(/^mailto:/, '')

function textOf({ blocks }: EmailMessage, { name, contactUrl }: Sender, reason?: Reason): string {
  const footer = [
    ...(contactUrl === undefined ? [] : [`Questions? Contact ${name}: ${contactOf(contactUrl)}`]),
    ...(reason === undefined ? [] : [`${reason.text} ${reason.label}:\n${reason.url}`]),
  ]
  return `${[...blocks.map(blockText), ...footer].map(plain).join('\n\n')}\n`
}

function blockText(block: Block): string {
  if (typeof block === 'string') return block
  if ('button' in block) return block.url
  return block.facts.map(([label, value]) => `${label}: ${value}`).join('\n')
}

const isolated = (text: string): Html =>
  new Html(html`${text}`.text.replaceAll(isolates[0], '<bdi>').replaceAll(isolates[1], '</bdi>'))

const plainColours = accentsOf('#0b5cad')

const font =
  "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-size:16px;line-height:1.5"

/**
 * Light styles are in the elements, because some mail programs drop the head; dark styles are in the head, which
 * programs with a dark mode keep. There are no pictures and nothing is loaded.
 */
function htmlOf({ subject, blocks }: EmailMessage, sender: Sender, reason?: Reason): string {
  const { name, contactUrl, colours } = sender
  const { light, dark } = colours ?? plainColours
  const quiet = html`class="quiet" style="margin:0 0 8px;font-size:13px;color:#59626e"`
  return html`<!doctype html>
<html lang="${boardLocale()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${plain(subject)}</title>
<style>${darkStyles(dark)}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#eef0f3;color:#1b2129;${font}">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#eef0f3;color:#1b2129">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;text-align:left">
<tr><td class="brand" style="padding:0 4px 12px;font-weight:600;color:${light.accent};${font}">${name}</td></tr>
<tr><td class="card" style="background:#ffffff;border:1px solid #dce0e6;border-top:4px solid ${light.accent};border-radius:8px;padding:24px;overflow-wrap:anywhere;${font}">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${isolated(subject)}</h1>
${blocks.map(block => blockHtml(block, light))}
</td></tr>
<tr><td style="padding:16px 4px 0;${font}">
${contactUrl !== undefined && html`<p ${quiet}>Questions? Contact ${name}: <a class="link" href="${contactUrl}" style="color:${light.accent}">${contactOf(contactUrl)}</a></p>`}
${reason !== undefined && html`<p ${quiet}>${reason.text} <a class="link" href="${reason.url}" style="color:${light.accent}">${reason.label}</a></p>`}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`.text
}

const darkStyles = ({ accent, ink }: Accent) =>
  new Html(`
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
.page { background: #0f1318 !important; color: #e6e9ee !important; }
.card { background: #171c23 !important; border-color: #2c343f !important; border-top-color: ${accent} !important; }
.brand, .link { color: ${accent} !important; }
.button { background: ${accent} !important; color: ${ink} !important; }
.quiet, .label { color: #a3adba !important; }
.fact { border-color: #2c343f !important; }
}
`)

function blockHtml(block: Block, { accent, ink }: Accent): Html {
  if (typeof block === 'string') return html`<p style="margin:0 0 16px">${isolated(block)}</p>\n`
  if ('button' in block)
    return html`<p style="margin:0 0 16px"><a class="button" href="${block.url}" style="display:inline-block;padding:10px 20px;border-radius:6px;background:${accent};color:${ink};font-weight:600;text-decoration:none">${block.button}</a></p>\n`
  const rows = block.facts.map(
    ([label, value]) =>
      html`<tr><th scope="row" class="label fact" style="padding:6px 12px 6px 0;border-bottom:1px solid #dce0e6;text-align:left;vertical-align:top;width:35%;font-weight:400;color:#59626e;overflow-wrap:normal">${label}</th><td class="fact" style="padding:6px 0;border-bottom:1px solid #dce0e6;overflow-wrap:anywhere">${isolated(value)}</td></tr>\n`,
  )
  return html`<table width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 16px;border-collapse:collapse;${font}">\n${rows}</table>\n`
}
