import { lazily } from '../../core/lazily.ts'
import type { Limits } from '../../limits.ts'
import type { QuestionType } from '../../model/application.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

const digits = lazily(() => new Intl.NumberFormat('en-AU'))

const kinds: Record<QuestionType, string> = {
  MultipleChoiceOneAnswer: 'Choose one answer',
  MultipleChoiceManyAnswers: 'Choose several answers',
  Text: 'Written answer',
  'True/False': 'Yes or no',
  URLQuestion: 'Web address',
}

const counted = (count: number, one: string, many: string) =>
  `${digits().format(count)} ${count === 1 ? one : many}`

type Most = Pick<Limits, 'nameLength' | 'longTextLength' | 'screenQuestions' | 'screenAnswers'>

export const questionnaireTexts = {
  title: 'Questionnaires',
  caption: 'Questionnaires, newest first',
  newEntry: 'New questionnaire',
  editTitle: (name: string) => `Questionnaire: ${name}`,
  copyOf: (name: string) => `Copy of ${name}`,

  columns: ['Name', 'Questions', 'Used by', 'State', 'Last changed'],
  questionCount: (count: number) => counted(count, 'question', 'questions'),
  adCount: (count: number) => (count === 0 ? 'No ads' : counted(count, 'ad', 'ads')),

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

  name: 'Questionnaire name',
  nameHint: 'For you and your colleagues, such as “Baristas 2027”. Included with each application.',
  kinds,
  kind: 'Answer type',
  question: (number: number) => `Question ${number}`,
  questionText: 'Question',
  required: 'Required',
  answers: 'Answer options',
  passingHint: 'Tick the answers that pass. If none is ticked, any answer passes.',
  passingManyHint: 'Tick the answers that pass. One of them is enough. If none is ticked, any answer passes.',
  passes: 'Passes',
  passing: 'Passing answers',
  passingTextHint: 'One per line. Case and extra spaces are ignored. Leave empty if any answer passes.',
  answerOf: (answer: number, question: number): Html =>
    html`<span class="for-readers"> answer ${answer} of question ${question}</span>`,
  ofQuestion: (question: number): Html => html`<span class="for-readers"> question ${question}</span>`,
  answerPlace: (answer: number, question: number) => `Question ${question}, answer ${answer}`,
  up: 'Up',
  down: 'Down',
  remove: 'Remove',
  addAnswer: 'Add an answer',
  toQuestion: (question: number): Html => html`<span class="for-readers"> to question ${question}</span>`,
  add: 'Add a question',
  addHint: 'Choose an answer type.',
  full: (most: number) => `This questionnaire has ${digits().format(most)} questions, the most allowed.`,
  noQuestions: 'No questions yet. Add the first one below.',

  create: 'Save questionnaire',
  save: 'Save questionnaire',
  tryIt: 'Try it out',
  useIt: 'Use in a new ad',
  close: 'Close questionnaire',
  open: 'Reopen questionnaire',

  made: 'Questionnaire saved. Use it in an ad, or try it out first.',
  saved: 'Changes saved.',
  wasClosed:
    'Questionnaire closed. New ads can’t use it; ads that use it now keep it. If that was a mistake, reopen it.',
  wasOpened: 'Questionnaire reopened. Ads can use it.',
  isCopy: 'This is a copy. Not saved yet.',
  notSaved: 'Not saved yet. Save the questionnaire when you’re done.',

  usedBy: (ads: Html[], hasMore: boolean): Html =>
    html`<p>This questionnaire is used by ${ads.map((ad, index) => html`${index > 0 && ', '}${ad}`)}${hasMore && ' and more'}.
When you save, candidates get the new questions immediately. Existing applications keep their questions, answers and
outcome.</p>`,

  changedTitle: 'This questionnaire has changed since you opened it.',
  changed: (at: Html, path: string): Html =>
    html`It was last saved on ${at}. Your changes are below and haven’t been saved. <a href="${path}" target="_blank" rel="noopener">Open the current version</a> in another tab, or save again to replace it.`,
  changedTo: (name: string, count: number): Html =>
    html`Current version: ${isolateBidi(name)}, ${counted(count, 'question', 'questions')}.`,

  previewHint: 'What candidates will see. Not saved yet; once you save it, you can try it out.',
  tryTitle: (name: string) => `Try out: ${name}`,
  tryHeading: (name: string): Html => html`Try out: ${isolateBidi(name)}`,
  tryLead:
    'This is what candidates are asked when they apply. Answer as a candidate would to see the outcome. Nothing is stored.',
  seeOutcome: 'See the outcome',
  passed: 'These answers pass.',
  failed: 'These answers don’t pass.',
  outcome: 'Outcome',
  outcomePasses: 'Passes',
  outcomeFails: 'Doesn’t pass',
  backToEdit: 'Edit questionnaire',
  noOutcome: 'No outcome yet.',

  tooLongTitle: 'This questionnaire is too long',
  tooLong: (megabytes: number, fields: number) =>
    `A questionnaire can hold about ${megabytes} MB of text in ${digits().format(fields)} fields. This one has more, so nothing was saved.`,
  tooLongHelp:
    'Go back in your browser, where your text is still in the form, and shorten or remove some questions.',
  back: 'Back to questionnaires',

  /** The error text, by the path and the code that the rule reports. */
  fault(path: string, code: string, most: Most): string {
    const count = (name: keyof Most) => digits().format(most[name])
    if (code === 'more') return 'There are more problems. Fix these first.'
    if (path === 'name')
      return nameFaults[code] ?? `Use at most ${count('nameLength')} characters in the name.`
    if (path === 'questions') {
      return code === 'too-few' ? 'Add a question.' : `Use at most ${count('screenQuestions')} questions.`
    }
    if (/\.options$/.test(path)) return optionsFault(code, count('screenAnswers'))
    if (/\.passingTexts$/.test(path)) return `Enter at most ${count('screenAnswers')} passing answers.`
    if (code === 'cannot-pass') return notAnAddress
    if (/\.id$/.test(path)) return 'This question is a duplicate of another. Remove it and add it again.'
    if (code === 'too-long') return `Use at most ${count('longTextLength')} characters.`
    if (code === 'unwritable-character') return unwritable
    return /\.options\[/.test(path) ? 'Enter this answer or remove it.' : 'Enter the question or remove it.'
  },
} as const

const notAnAddress =
  'Enter the full link, starting with https:// or http://. Candidates can’t give any other answer.'

const unwritable = 'This contains a character we can’t save. Type the text instead of pasting it.'

const nameFaults: Record<string, string> = {
  empty: 'Give the questionnaire a name.',
  'line-break': 'The name must be one line.',
  'unwritable-character': unwritable,
}

function optionsFault(code: string, most: string): string {
  if (code === 'too-few') return 'Add more answer options.'
  return code === 'too-many'
    ? `Use at most ${most} answer options.`
    : 'The answers must be True and False. Remove the question and add it again.'
}
