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
    title: 'This questionnaire is too long',
    // Read when the page is shown: at the start, numbers in words would load language data.
    get text() {
      return `A questionnaire can hold about ${megabytes} MB of text in ${numberInWords(screenFormFields)} fields. This one has more, so nothing was saved.`
    },
    help: 'Go back in your browser, where your text is still in the form, and shorten or remove some questions.',
    back: 'Back to questionnaires',
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
      title: `Try out: ${name}`,
      heading: pageHead(
        html`Try out: ${isolateBidi(name)}`,
        false,
        breadcrumb([
          { href: path(advertiserId), label: words.title },
          { href: back, label: name },
        ]),
      ),
      failed: 'No outcome yet.',
      labels: field => questionName(questions.findIndex(each => questionField(each.id) === field) + 1),
      body: html`<p>This is what candidates are asked when they apply. Answer as a candidate would to see the outcome. Nothing is stored.</p>
${ownForm({
  action: `${back}/preview`,
  className: 'card',
  content: html`${questionsMarkup(questions, answers, errors)}
<p class="actions"><button type="submit">See the outcome</button>
${linkButton(back, 'Edit questionnaire')}</p>`,
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
          ? html`This questionnaire is used by ${users} and more.`
          : html`This questionnaire is used by ${users}.`
      } When you save, candidates get the new questions immediately. Existing applications keep their questions, answers and outcome.</p>`,
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
          'Name',
          ({ id, name }) =>
            html`<a href="${path(advertiserId)}/${id}"><strong>${isolateBidi(name)}</strong></a>`,
        ],
        ['Questions', ({ questionCount }) => questionsText(questionCount)],
        ['Used by', ({ adCount }) => adsText(adCount)],
        ['State', ({ status }) => stateBadge(status)],
        ['Last changed', ({ updatedAt }) => timeElement(updatedAt)],
      ],

      nameOf: ({ name }) => name,
      stateOf: ({ status }) => status,
      linksOf: ({
        id,
        advertiserId,
        status,
      }) => html`${linkButton(`${path(advertiserId)}/${id}/preview`, 'Try it out')}
${status === 'open' && linkButton(`${consolePath(advertiserId, 'jobs')}/new?screen=${id}`, 'Use in a new ad')}`,
      noticeFor: usersNotice,

      newForm: () => ({ name: '', questions: [newQuestion('MultipleChoiceOneAnswer')] }),
      formOf: formOfQuestionnaire,
      copyOf: ({ name, questions }) =>
        formOfQuestionnaire({ name: `Copy of ${name}`.slice(0, nameLength), questions }),
      readForm(fields) {
        const edit = readEdit(fields.get('do') ?? '')
        const form = readQuestionnaireForm(fields)
        return edit === undefined ? withoutEmptyOptions(form) : edited(form, edit)
      },
      editNotice: fields =>
        readEdit(fields.get('do') ?? '') && 'Not saved yet. Save the questionnaire when you’re done.',
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
          html`<p><strong>This questionnaire has changed since you opened it.</strong> It was last saved on ${timeElement(updatedAt)}. Your changes are below and haven’t been saved. <a href="${path(advertiserId)}/${id}" target="_blank" rel="noopener">Open the current version</a> in another tab, or save again to replace it.</p>
<p>Current version: ${isolateBidi(name)}, ${questionsText(questions.length)}.</p>`,
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
    html`<p><strong>${successful ? 'These answers pass.' : 'These answers don’t pass.'}</strong></p>
<ul class="plain" aria-label="Outcome">${questionnaire.questions.map((question, row) => {
      // Evaluates one question with the rule for whole questionnaires.
      const passes = questionnaireResult({ ...questionnaire, questions: [question] }, answers).successful
      return html`<li>${badge(passes ? 'good' : 'danger', passes ? 'Passes' : 'Doesn’t pass')} ${questionName(row + 1)}: ${isolateBidi(question.text)}</li>`
    })}</ul>`,
  )
}

const questionsText = (count: number) => (count === 1 ? '1 question' : `${numberInWords(count)} questions`)

function adsText(count: number): string {
  if (count === 0) return 'No ads'
  return count === 1 ? '1 ad' : `${numberInWords(count)} ads`
}

/** The error text, by the rule's path and code. */
function faultText(path: string, code: string): string {
  if (code === 'more') return 'There are more problems. Fix these first.'
  if (path === 'name')
    return nameFaults[code] ?? `Use at most ${numberInWords(nameLength)} characters in the name.`
  if (path === 'questions') {
    if (code === 'too-many-files')
      return `Ask for at most ${numberInWords(screenFiles)} files in one questionnaire.`
    return code === 'too-few' ? 'Add a question.' : `Use at most ${numberInWords(screenQuestions)} questions.`
  }
  if (/\.options$/.test(path)) {
    if (code === 'too-few') return 'Add more answer options.'
    return code === 'too-many'
      ? `Use at most ${numberInWords(screenAnswers)} answer options.`
      : 'The answers must be True and False. Remove the question and add it again.'
  }
  if (/\.passingTexts$/.test(path)) return `Enter at most ${numberInWords(screenAnswers)} passing answers.`
  if (/\.reference$/.test(path))
    return code === 'too-long'
      ? `Use at most ${numberInWords(referenceLength)} characters in the reference.`
      : 'Write the reference on one line, without tabs.'
  if (code === 'cannot-pass')
    return 'Enter the full link, starting with https:// or http://. Candidates can’t give any other answer.'
  if (/\.id$/.test(path)) return 'This question is a duplicate of another. Remove it and add it again.'
  if (code === 'too-long') return `Use at most ${numberInWords(longTextLength)} characters.`
  if (code === 'unwritable-character') return unwritable
  return /\.options\[/.test(path) ? 'Enter this answer or remove it.' : 'Enter the question or remove it.'
}

const unwritable = 'This contains a character we can’t save. Type the text instead of pasting it.'

const nameFaults: Readonly<Record<string, string>> = {
  empty: 'Give the questionnaire a name.',
  'line-break': 'The name must be one line.',
  'unwritable-character': unwritable,
}

const words = {
  title: 'Questionnaires',
  caption: 'Questionnaires, newest first',
  newEntry: 'New questionnaire',
  editTitle: (name: string) => `Questionnaire: ${name}`,
  empty: {
    all: [
      'No questionnaires yet',
      'Ask candidates what you need to know when they apply, and say which answers pass. Each application then shows whether it passed.',
    ],
    open: ['No open questionnaires', 'Reopen one, or write a new one.'],
    closed: [
      'No closed questionnaires',
      'Questionnaires that you close are kept here. New ads can’t use them.',
    ],
    page: ['End of list', 'There are no more questionnaires.'],
  },
  create: 'Save questionnaire',
  save: 'Save questionnaire',
  previewHint: 'What candidates will see. Not saved yet; once you save it, you can try it out.',
  close: 'Close questionnaire',
  open: 'Reopen questionnaire',
  isCopy: 'This is a copy. Not saved yet.',
  made: 'Questionnaire saved. Use it in an ad, or try it out first.',
  saved: 'Changes saved.',
  wasClosed:
    'Questionnaire closed. New ads can’t use it; ads that use it now keep it. If that was a mistake, reopen it.',
  wasOpened: 'Questionnaire reopened. Ads can use it.',
} as const
