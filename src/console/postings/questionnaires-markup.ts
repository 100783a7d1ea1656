import { questionField } from '../../apply/form/form.ts'
import type { FieldError } from '../../core/problems.ts'
import type { OwnQuestionnaire, StoredQuestionnaire } from '../../jobs/ports.ts'
import type { Answers, Questionnaire } from '../../model/questionnaire.ts'
import { questionnaireResult } from '../../model/questionnaire-outcome.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { badge, notice } from '../../web/components.ts'
import { errorSummary } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import { consolePath } from '../navigation-markup.ts'
import { stateBadge } from './markup.ts'
import { questionnaireTexts as texts } from './questionnaires-texts.ts'

export function questionnaireCells(row: OwnQuestionnaire, path: string): (Html | string)[] {
  return [
    html`<a href="${path}/${row.id}"><strong>${isolateBidi(row.name)}</strong></a>`,
    texts.questionCount(row.questionCount),
    texts.adCount(row.adCount),
    stateBadge(row.status),
    timeElement(row.updatedAt),
  ]
}

export function questionnaireLinks({ id, advertiserId, status }: StoredQuestionnaire): Html {
  return html`<a class="button second" href="${consolePath(advertiserId, 'screens')}/${id}/preview">${texts.tryIt}</a>
${status === 'open' && html`<a class="button second" href="${consolePath(advertiserId, 'jobs')}/new?screen=${id}">${texts.useIt}</a>`}`
}

/** Shown after an edit conflict. */
export function changedQuestionnaireMarkup(saved: StoredQuestionnaire): Html {
  const path = `${consolePath(saved.advertiserId, 'screens')}/${saved.id}`
  return notice(
    'warning',
    html`<p><strong>${texts.changedTitle}</strong> ${texts.changed(timeElement(saved.updatedAt), path)}</p>
<p>${texts.changedTo(saved.name, saved.questions.length)}</p>`,
  )
}

/** Lists the ads that a change affects; empty if there are none. */
export function usersMarkup(
  ads: readonly { id: number; title: string }[],
  most: number,
  jobsPath: string,
): Html | false {
  const named = ads
    .slice(0, most)
    .map(({ id, title }) => html`<a href="${jobsPath}/${id}">${isolateBidi(title)}</a>`)
  return ads.length > 0 && notice('info', texts.usedBy(named, ads.length > most))
}

export interface TryOut {
  path: string
  back: string
  formToken: string
  questionnaire: Questionnaire
  answers: Answers
  errors: readonly FieldError[]
  /** Whether there are answers to evaluate. */
  isAnswered: boolean
  questions: Html[]
}

/** The questions as candidates see them, and the outcome of the answers. */
export function tryOutMarkup({
  path,
  back,
  formToken,
  questionnaire,
  errors,
  isAnswered,
  ...page
}: TryOut): Html {
  const numberOf = new Map(questionnaire.questions.map(({ id }, row) => [questionField(id), row + 1]))
  const placeOf = (field: string) => texts.question(numberOf.get(field) ?? 0)
  return html`${isAnswered ? outcomeMarkup(questionnaire, page.answers) : errorSummary(errors, placeOf, texts.noOutcome)}
<p>${texts.tryLead}</p>
<form class="card" method="post" action="${path}" novalidate>
<input type="hidden" name="form_token" value="${formToken}">
${page.questions}
<p class="actions"><button type="submit">${texts.seeOutcome}</button>
<a class="button second" href="${back}">${texts.backToEdit}</a></p>
</form>`
}

function outcomeMarkup(questionnaire: Questionnaire, answers: Answers): Html {
  const { successful } = questionnaireResult(questionnaire, answers)
  return notice(
    successful ? 'good' : 'warning',
    html`<p><strong>${successful ? texts.passed : texts.failed}</strong></p>
<ul class="plain" aria-label="${texts.outcome}">${questionnaire.questions.map((question, row) => {
      // Evaluates one question with the rule for the whole questionnaire.
      const passes = questionnaireResult({ ...questionnaire, questions: [question] }, answers).successful
      return html`<li>${badge(passes ? 'good' : 'danger', passes ? texts.outcomePasses : texts.outcomeFails)} ${texts.question(row + 1)}: ${isolateBidi(question.text)}</li>`
    })}</ul>`,
  )
}
