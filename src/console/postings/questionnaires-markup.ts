import { questionField } from '../../apply/form/form.ts'
import type { FieldError } from '../../core/problems.ts'
import type { ListedPage, OwnQuestionnaire } from '../../jobs/ports.ts'
import type { Answers, Questionnaire } from '../../model/questionnaire.ts'
import { questionnaireResult } from '../../model/questionnaire-outcome.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { badge, dataTable, emptyState, notice } from '../../web/components.ts'
import { errorSummary } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import type { Filter } from './list.ts'
import { filterLinks, listPager } from './list-markup.ts'
import { questionnaireTexts as texts } from './questionnaires-texts.ts'

export function questionnaireListMarkup(
  page: ListedPage<OwnQuestionnaire>,
  { path, filter, isContinued }: { path: string; filter: Filter; isContinued: boolean },
): Html {
  return html`${filterLinks(path, filter, { label: texts.filterLabel, names: texts.filters })}
${page.entries.length === 0 ? emptyMarkup(path, filter, isContinued) : tableMarkup(page.entries, path)}
${listPager(page, path, { filter, isContinued })}`
}

function emptyMarkup(path: string, filter: Filter, isContinued: boolean): Html {
  if (isContinued) return emptyState({ title: texts.emptyPageTitle, text: texts.emptyPage })
  if (filter === 'open') return emptyState({ title: texts.emptyOpenTitle, text: texts.emptyOpen })
  if (filter === 'closed') return emptyState({ title: texts.emptyClosedTitle, text: texts.emptyClosed })
  const action = { href: `${path}/new`, label: texts.newQuestionnaire }
  return emptyState({ title: texts.emptyTitle, text: texts.empty, action })
}

function tableMarkup(entries: readonly OwnQuestionnaire[], path: string): Html {
  const { columns } = texts
  return dataTable(
    texts.caption,
    [
      { label: columns.name },
      { label: columns.questions },
      { label: columns.ads },
      { label: columns.state },
      { label: columns.changed },
    ],
    entries.map(({ id, name, questionCount, adCount, status, updatedAt }) => [
      html`<a href="${path}/${id}"><strong>${isolateBidi(name)}</strong></a>`,
      texts.questionCount(questionCount),
      texts.adCount(adCount),
      questionnaireBadge(status),
      timeElement(updatedAt),
    ]),
  )
}

export function questionnaireBadge(status: 'open' | 'closed'): Html {
  return badge(status === 'open' ? 'good' : 'neutral', texts.states[status])
}

/** Shown after an edit conflict. */
export function changedQuestionnaireMarkup(
  saved: { name: string; questions: readonly unknown[]; updatedAt: number },
  path: string,
): Html {
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
  screen: Questionnaire
  answers: Answers
  errors: readonly FieldError[]
  /** Whether there are answers to evaluate. */
  isAnswered: boolean
  questions: Html[]
}

/** The questions as candidates see them, and the outcome of the answers. */
export function tryOutMarkup({ path, back, formToken, screen, errors, isAnswered, ...page }: TryOut): Html {
  const numberOf = new Map(screen.questions.map(({ id }, row) => [questionField(id), row + 1]))
  const placeOf = (field: string) => texts.question(numberOf.get(field) ?? 0)
  return html`${isAnswered ? outcomeMarkup(screen, page.answers) : errorSummary(errors, placeOf, texts.noOutcome)}
<p>${texts.tryLead}</p>
<form class="card" method="post" action="${path}" novalidate>
<input type="hidden" name="form_token" value="${formToken}">
${page.questions}
<p class="actions"><button type="submit">${texts.seeOutcome}</button>
<a class="button second" href="${back}">${texts.backToEdit}</a></p>
</form>`
}

function outcomeMarkup(screen: Questionnaire, answers: Answers): Html {
  const { successful } = questionnaireResult(screen, answers)
  return notice(
    successful ? 'good' : 'warning',
    html`<p><strong>${successful ? texts.passed : texts.failed}</strong></p>
<ul class="plain" aria-label="${texts.outcome}">${screen.questions.map((question, row) => {
      // Evaluates one question with the rule for the whole questionnaire.
      const passes = questionnaireResult({ ...screen, questions: [question] }, answers).successful
      return html`<li>${badge(passes ? 'good' : 'danger', passes ? texts.outcomePasses : texts.outcomeFails)} ${texts.question(row + 1)}: ${isolateBidi(question.text)}</li>`
    })}</ul>`,
  )
}
