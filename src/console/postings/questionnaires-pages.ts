import type { RouteOptions } from 'fastify'
import { applyFormBytes, questionField, readApplyForm } from '../../apply/form/form.ts'
import type { PostingLists } from '../../jobs/posting-list-store.ts'
import type { OwnQuestionnaire, StoredQuestionnaire } from '../../jobs/postings.ts'
import type { Questionnaires } from '../../jobs/service.ts'
import type { AdRuleSet } from '../../model/ad-rules.ts'
import {
  type Answers,
  type Question,
  type Questionnaire,
  type QuestionnaireFields,
  screenAnswers,
  screenFiles,
  screenQuestions,
} from '../../model/questionnaire.ts'
import { checkAnswers } from '../../model/questionnaire-answers.ts'
import { questionnaireResult } from '../../model/questionnaire-outcome.ts'
import { longTextLength, nameLength, referenceLength } from '../../model/text-lengths.ts'
import { randomWord } from '../../platform/core/ids.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { type Call, pathId } from '../../platform/http/routes.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { badge, breadcrumb, linkButton, notice, pageHead } from '../../platform/web/components.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { t } from '../../platform/web/t.ts'
import type { Page, PageCall } from '../../platform/web/tab.ts'
import { timeElement } from '../../platform/web/time.ts'
import { consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'
import { placeOf, questionName, questionnaireFieldsMarkup } from './builder-markup.ts'
import { numberInWords, stateBadge } from './markup.ts'
import { type PostingPageDeps, postingPages, tooLarge } from './pages.ts'
import { edited, focusAfter, newQuestion, readEdit } from './questionnaire-edit.ts'
import {
  bodyOfQuestionnaire,
  fieldForPath,
  formOfQuestionnaire,
  type QuestionnaireForm,
  readQuestionnaireForm,
  withNewIds,
  withoutEmptyOptions,
  withRoom,
} from './questionnaire-form.ts'

/** Limit: Fields of the questionnaire form: 256 KiB of JSON hold 20,000 answers, each with an ID, a text and a tick. */
const screenFormFields = 64_000
/**
 * Limit: Size of the questionnaire form: everything that intake accepts in 256 KiB of JSON, with each byte encoded as
 * three and the field names repeated for each answer.
 */
const screenFormBytes = 2 * 1024 * 1024
/** Limit: Ads that are named when their questionnaire is about to change. */
const adsNamed = 5

const path = (advertiserId: number) => consolePath(advertiserId, 'screens')

/** An advertiser's questionnaires, and a page to try one out. */
export function questionnairePages(
  deps: PostingPageDeps & {
    questionnaires: Questionnaires
    lists: PostingLists
    adRules: readonly AdRuleSet[]
    /** Renders a question as the application form shows it. */
    questionMarkup(shown: {
      question: Question
      number: number
      answer: readonly string[] | string | undefined
      errors: readonly FieldError[]
    }): Html
  },
): RouteOptions[] {
  const { questionnaires, lists, sessions } = deps
  const megabytes = Math.floor(screenFormBytes / 1024 / 1024)
  const tooLong = {
    title: t`This questionnaire is too long`,
    // Read when the page is shown: at the start, numbers in words would load language data.
    get text() {
      return t`A questionnaire can hold about ${megabytes} MB of text in ${numberInWords(screenFormFields)} fields. This one has more, so nothing was saved.`
    },
    help: t`Go back in your browser, where your text is still in the form, and shorten or remove some questions.`,
    back: t`Back to questionnaires`,
  }

  const questionsMarkup = (
    questions: readonly Question[],
    answers: Answers = new Map(),
    errors: readonly FieldError[] = [],
  ) =>
    questions.map((question, row) =>
      deps.questionMarkup({ question, number: row + 1, answer: answers.get(question.id), errors }),
    )

  const find = ({ caller, params }: Call<'console', 'screenId'>) =>
    questionnaires.find(caller.advertiserId, pathId(params.screenId))

  /** The questions as candidates see them. */
  function tryOutPage(
    { ownForm }: Pick<PageCall<'console'>, 'ownForm'>,
    { advertiserId, id, name, questions }: StoredQuestionnaire,
    answers?: Answers,
    errors?: readonly FieldError[],
  ): Page {
    const back = `${path(advertiserId)}/${id}`
    return {
      title: t`Try out: ${name}`,
      heading: pageHead(
        t`Try out: ${isolateBidi(name)}`,
        false,
        breadcrumb([
          { href: path(advertiserId), label: words.title },
          { href: back, label: name },
        ]),
      ),
      failed: t`No outcome yet.`,
      labels: field => questionName(questions.findIndex(each => questionField(each.id) === field) + 1),
      body: html`<p>${t`This is what candidates are asked when they apply. Answer as a candidate would to see the outcome. Nothing is stored.`}</p>
${ownForm({
  action: `${back}/preview`,
  className: 'card',
  content: html`${questionsMarkup(questions, answers, errors)}
<p class="actions"><button type="submit">${t`See the outcome`}</button>
${linkButton(back, t`Edit questionnaire`)}</p>`,
})}`,
    }
  }

  /** Lists the ads that a change affects; false if there are none. */
  async function usersNotice({ advertiserId, id }: StoredQuestionnaire): Promise<Html | false> {
    const ads = await lists.adsWithScreen(advertiserId, id, adsNamed + 1)
    if (ads.length === 0) return false
    const jobs = consolePath(advertiserId, 'jobs')
    const links = ads
      .slice(0, adsNamed)
      .map(
        ({ id, title }, index) => html`${index > 0 && ', '}<a href="${jobs}/${id}">${isolateBidi(title)}</a>`,
      )
    const users = html`${links}`
    return notice(
      'info',
      html`<p>${
        ads.length > links.length
          ? t`This questionnaire is used by ${users} and more.`
          : t`This questionnaire is used by ${users}.`
      } ${t`When you save, candidates get the new questions immediately. Existing applications keep their questions, answers and outcome.`}</p>`,
    )
  }

  return [
    ...postingPages<QuestionnaireFields, QuestionnaireForm, OwnQuestionnaire>(deps, {
      tab: 'screens',
      parameter: 'screenId',
      words: { ...words, tooLong },
      formLimits: { bodyLimit: screenFormBytes, formFields: screenFormFields },
      postings: questionnaires,

      list: ({ advertiserId }, position) => lists.screens(advertiserId, position),
      columns: ({ advertiserId }) => [
        [
          t`Name`,
          ({ id, name }) =>
            html`<a href="${path(advertiserId)}/${id}"><strong>${isolateBidi(name)}</strong></a>`,
        ],
        [t`Questions`, ({ questionCount }) => questionsText(questionCount)],
        [t`Used by`, ({ adCount }) => adsText(adCount)],
        [t`State`, ({ status }) => stateBadge(status)],
        [t`Last changed`, ({ updatedAt }) => timeElement(updatedAt)],
      ],

      nameOf: ({ name }) => name,
      stateOf: ({ status }) => status,
      linksOf: ({
        id,
        advertiserId,
        status,
      }) => html`${linkButton(`${path(advertiserId)}/${id}/preview`, t`Try it out`)}
${status === 'open' && linkButton(`${consolePath(advertiserId, 'jobs')}/new?screen=${id}`, t`Use in a new ad`)}`,
      noticeFor: usersNotice,

      newForm: () => ({ name: '', questions: [newQuestion('MultipleChoiceOneAnswer')] }),
      formOf: formOfQuestionnaire,
      copyOf: ({ name, questions }) =>
        formOfQuestionnaire({ name: t`Copy of ${name}`.slice(0, nameLength), questions }),
      readForm(fields) {
        const edit = readEdit(fields.get('do') ?? '')
        const form = readQuestionnaireForm(fields)
        return edit === undefined ? withoutEmptyOptions(form) : edited(form, edit)
      },
      editNotice: fields =>
        readEdit(fields.get('do') ?? '') && t`Not saved yet. Save the questionnaire when you’re done.`,
      bodyOf: (form, advertiserId, stored) =>
        bodyOfQuestionnaire(
          stored === undefined ? form : withNewIds(form, () => randomWord(8)),
          advertiserId,
        ),

      formAttributes: html`data-builder`,
      fieldsOf(form, { errors, sent }) {
        const edit = readEdit(sent.get('do') ?? '')
        const focus = edit && focusAfter(edit, form)
        return questionnaireFieldsMarkup(errors.length === 0 ? form : withRoom(form), {
          errors,
          focus,
          adRules: deps.adRules,
        })
      },
      inWords: errors =>
        errors.map(({ field, code }) => ({
          field: fieldForPath(field),
          code,
          message: faultText(field, code),
        })),
      placeOf,
      previewOf: ({ questions }) => html`${questionsMarkup(questions)}`,
      changedNotice: ({ advertiserId, id, name, questions, updatedAt }) =>
        notice(
          'warning',
          html`<p><strong>${t`This questionnaire has changed since you opened it.`}</strong> ${t`It was last saved on ${timeElement(updatedAt)}. Your changes are below and haven’t been saved.`} <a href="${path(advertiserId)}/${id}" target="_blank" rel="noopener">${t`Open the current version`}</a> ${t`in another tab, or save again to replace it.`}</p>
<p>${t`Current version: ${isolateBidi(name)}, ${questionsText(questions.length)}.`}</p>`,
        ),
    }),
    ...consoleTab(sessions, 'screens', { view: 'admin' })(
      '/console/:advertiserId/screens/:screenId/preview',
      {
        show: async call => tryOutPage(call, await find(call)),
        acts: {
          '': {
            limits: {
              bodyLimit: applyFormBytes,
              formFields: screenFormFields,
              errorHandler: tooLarge('screens', tooLong),
            },
            async run(call) {
              const questionnaire = await find(call)
              const { answers } = readApplyForm(call.fields, questionnaire)
              const errors = checkAnswers(questionnaire, answers, questionField)
              const above = errors.length === 0 ? outcomeNotice(questionnaire, answers) : html``
              return { errors, above, page: tryOutPage(call, questionnaire, answers, errors) }
            },
          },
        },
      },
    ),
  ]
}

function outcomeNotice(questionnaire: Questionnaire, answers: Answers): Html {
  const { successful } = questionnaireResult(questionnaire, answers)
  return notice(
    successful ? 'good' : 'warning',
    html`<p><strong>${successful ? t`These answers pass.` : t`These answers don’t pass.`}</strong></p>
<ul class="plain" aria-label="${t`Outcome`}">${questionnaire.questions.map((question, row) => {
      // Evaluates one question with the rule for whole questionnaires.
      const passes = questionnaireResult({ ...questionnaire, questions: [question] }, answers).successful
      return html`<li>${badge(passes ? 'good' : 'danger', passes ? t`Passes` : t`Doesn’t pass`)} ${questionName(row + 1)}: ${isolateBidi(question.text)}</li>`
    })}</ul>`,
  )
}

const questionsText = (count: number) => (count === 1 ? t`1 question` : t`${numberInWords(count)} questions`)

function adsText(count: number): string {
  if (count === 0) return t`No ads`
  return count === 1 ? t`1 ad` : t`${numberInWords(count)} ads`
}

/** The error text, by the rule's path and code. */
function faultText(path: string, code: string): string {
  if (code === 'more') return t`There are more problems. Fix these first.`
  if (path === 'name')
    return nameFaults[code] ?? t`Use at most ${numberInWords(nameLength)} characters in the name.`
  if (path === 'questions') {
    if (code === 'too-many-files')
      return t`Ask for at most ${numberInWords(screenFiles)} files in one questionnaire.`
    return code === 'too-few'
      ? t`Add a question.`
      : t`Use at most ${numberInWords(screenQuestions)} questions.`
  }
  if (/\.options$/.test(path)) {
    if (code === 'too-few') return t`Add more answer options.`
    return code === 'too-many'
      ? t`Use at most ${numberInWords(screenAnswers)} answer options.`
      : t`The answers must be True and False. Remove the question and add it again.`
  }
  if (/\.passingTexts$/.test(path)) return t`Enter at most ${numberInWords(screenAnswers)} passing answers.`
  if (/\.reference$/.test(path))
    return code === 'too-long'
      ? t`Use at most ${numberInWords(referenceLength)} characters in the reference.`
      : t`Write the reference on one line, without tabs.`
  if (code === 'cannot-pass')
    return t`Enter the full link, starting with https:// or http://. Candidates can’t give any other answer.`
  if (/\.id$/.test(path)) return t`This question is a duplicate of another. Remove it and add it again.`
  if (code === 'too-long') return t`Use at most ${numberInWords(longTextLength)} characters.`
  if (code === 'unwritable-character') return unwritable
  return /\.options\[/.test(path) ? t`Enter this answer or remove it.` : t`Enter the question or remove it.`
}

const unwritable = t`This contains a character we can’t save. Type the text instead of pasting it.`

const nameFaults: Readonly<Record<string, string>> = {
  empty: t`Give the questionnaire a name.`,
  'line-break': t`The name must be one line.`,
  'unwritable-character': unwritable,
}

const words = {
  title: t`Questionnaires`,
  caption: t`Questionnaires, newest first`,
  newEntry: t`New questionnaire`,
  editTitle: (name: string) => t`Questionnaire: ${name}`,
  empty: {
    all: [
      t`No questionnaires yet`,
      t`Ask candidates what you need to know when they apply, and say which answers pass. Each application then shows whether it passed.`,
    ],
    open: [t`No open questionnaires`, t`Reopen one, or write a new one.`],
    closed: [
      t`No closed questionnaires`,
      t`Questionnaires that you close are kept here. New ads can’t use them.`,
    ],
    page: [t`End of list`, t`There are no more questionnaires.`],
  },
  create: t`Save questionnaire`,
  save: t`Save questionnaire`,
  previewHint: t`What candidates will see. Not saved yet; once you save it, you can try it out.`,
  close: t`Close questionnaire`,
  open: t`Reopen questionnaire`,
  isCopy: t`This is a copy. Not saved yet.`,
  made: t`Questionnaire saved. Use it in an ad, or try it out first.`,
  saved: t`Changes saved.`,
  wasClosed: t`Questionnaire closed. New ads can’t use it; ads that use it now keep it. If that was a mistake, reopen it.`,
  wasOpened: t`Questionnaire reopened. Ads can use it.`,
} as const
