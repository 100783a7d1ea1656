import type { AdVersion } from '../model/ad-version.ts'
import { answerTypeNames } from '../model/ad-words.ts'
import { answerInWords, answerTypeOf } from '../model/questionnaire.ts'
import { isolateBidi } from '../platform/web/bidi.ts'
import { type Html, html } from '../platform/web/html.ts'
import { markdown } from '../platform/web/markdown.ts'
import { dayElement, timeElement, zoneName } from '../platform/web/time.ts'
import { adFacts } from './ad-details-markup.ts'

/** The ad that an application was sent for, as its candidate and the company see it, without which answers pass. */
export function adVersionMarkup(ad: AdVersion): Html {
  const { title, location, closingDate, timeZone, details, description, questionnaire, version, createdAt } =
    ad
  const facts = adFacts(details)
  return html`<section class="card"><h2>Job ad</h2><details><summary>As it was when the application was sent</summary>
<p class="hint">Version ${version}, since ${timeElement(createdAt)}</p>
<p><strong>${isolateBidi(title)}</strong>, ${isolateBidi(location)}${closingDate !== null && html` · ${closingMarkup(closingDate, timeZone)}`}</p>
${facts.length > 0 && html`<dl class="values">${facts.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`}
<div class="prose"${details.language && html` lang="${details.language}"`}>${markdown(description, 3)}</div>
${
  questionnaire !== null &&
  html`<h3>Questions</h3><ol>${questionnaire.questions.map(
    question =>
      html`<li><p><bdi>${question.text}</bdi> <span class="hint">${answerTypeNames[answerTypeOf(question)]}${question.isRequired && ', required'}</span></p>${question.options.length > 0 && html`<ul>${question.options.map(({ text }) => html`<li><bdi>${answerInWords(question.type, text)}</bdi></li>`)}</ul>`}</li>`,
  )}</ol>`
}</details></section>`
}

/** Snapshots stored by an early node name no zone. */
function closingMarkup(closingDate: string, timeZone: string | undefined): Html {
  const day = dayElement(Date.parse(closingDate))
  return timeZone === undefined
    ? html`Closing date: ${day}`
    : html`Closing date: ${day} (${zoneName(timeZone)})`
}
