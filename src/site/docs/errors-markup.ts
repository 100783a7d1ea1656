import { type ProblemCode, problems } from '../../core/problems.ts'
import { problemStatus } from '../../http/responses/problem-status.ts'
import type { OAuthErrorCode } from '../../share/protocol/errors.ts'
import { badge } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { heading, withCode } from './markup.ts'
import type { Section } from './navigation-markup.ts'
import { errorTexts as texts } from './texts.ts'

/** Includes `internal`, which no rule throws. */
type ToldOAuthError = OAuthErrorCode | 'server_error'

const oauthErrors: Record<ToldOAuthError, { meaning: string; todo: string }> = texts.oauthErrors

export const errorSections: readonly Section[] = [
  { id: 'by-status', label: texts.byStatus },
  { id: 'codes', label: texts.codes },
  { id: 'oauth', label: texts.oauth },
]

/** All errors a caller can get. The element IDs are the codes: `/problems/{code}` redirects browsers to them. */
export function errorsMarkup(): Html {
  const codes = (Object.keys(problems) as ProblemCode[]).toSorted(
    (a, b) => problemStatus[a] - problemStatus[b],
  )
  return html`<p>${withCode(texts.intro)}</p>
${heading(2, 'by-status', texts.byStatus)}<p>${texts.byStatusText}</p>
<table class="guide"><thead><tr><th scope="col">${texts.statusColumn}</th><th scope="col">${texts.doColumn}</th></tr></thead>
<tbody>${texts.statuses.map(([status, todo]) => html`<tr><td>${status}</td><td>${todo}</td></tr>`)}</tbody></table>
${heading(2, 'codes', texts.codes)}${codes.map(
  code => html`<section class="error">${heading(3, code, html`<code>${code}</code>`)}
<p>${badge('neutral', texts.status(problemStatus[code]))} <strong>${problems[code].title}.</strong> ${problems[code].help}</p></section>
`,
)}${heading(2, 'oauth', texts.oauth)}<p>${withCode(texts.oauthIntro)}</p>
${Object.entries(oauthErrors).map(
  ([code, { meaning, todo }]) => html`<section class="error">${heading(3, code, html`<code>${code}</code>`)}
<p><strong>${meaning}</strong> ${todo}</p></section>
`,
)}`
}
