import type { QuestionType } from '../../model/application.ts'
import { theirs } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

const digits = new Intl.NumberFormat('en-AU')

const kinds: Record<QuestionType, string> = {
  MultipleChoiceOneAnswer: 'Choose one answer',
  MultipleChoiceManyAnswers: 'Choose several answers',
  Text: 'Written answer',
  'True/False': 'True or false',
  URLQuestion: 'Web address',
}

const counted = (count: number, one: string, many: string) =>
  `${digits.format(count)} ${count === 1 ? one : many}`

interface Most {
  nameLength: number
  longTextLength: number
  screenQuestions: number
  screenAnswers: number
}

/** Every word of the pages of questionnaires. */
export const screenTexts = {
  title: 'Questionnaires',
  caption: 'Questionnaires, newest first',
  newScreen: 'New questionnaire',
  editTitle: (name: string) => `Questionnaire: ${name}`,
  copyOf: (name: string) => `Copy of ${name}`,

  columns: { name: 'Name', questions: 'Questions', ads: 'Used by', state: 'State', changed: 'Last changed' },
  states: { open: 'Open', closed: 'Closed' },
  filterLabel: 'Which questionnaires',
  filters: { all: 'All', open: 'Open', closed: 'Closed' },
  questionCount: (count: number) => counted(count, 'question', 'questions'),
  adCount: (count: number) => (count === 0 ? 'No ad' : counted(count, 'ad', 'ads')),

  emptyTitle: 'No questionnaires yet',
  empty:
    'Ask candidates what you need to know when they apply, and say which answers pass. Each application then tells you whether it passed.',
  emptyOpenTitle: 'No questionnaire is open',
  emptyOpen: 'Open one again, or write a new one.',
  emptyClosedTitle: 'No questionnaire is closed',
  emptyClosed: 'Questionnaires that you close are kept here. New ads cannot use them.',
  emptyPageTitle: 'The list ends here',
  emptyPage: 'There are no more questionnaires in this direction.',

  name: 'Name of the questionnaire',
  nameHint: 'For you and your colleagues, such as "Baristas 2027". It comes along with each application.',
  kinds,
  kind: 'How it is answered',
  question: (number: number) => `Question ${number}`,
  questionText: 'Question',
  required: 'Candidates must answer it',
  answers: 'Answers to choose from',
  passingHint: 'Tick the answers that pass. When none is ticked, any answer passes.',
  passingManyHint:
    'Tick the answers that pass: one of them is enough. When none is ticked, any answer passes.',
  trueFalse: { True: 'True', False: 'False' } as Record<string, string>,
  passes: 'Passes',
  passing: 'Answers that pass',
  passingTextHint:
    'One a line. Capital letters and extra blanks make no difference. Leave it empty when any answer passes.',
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
  addHint: 'Choose how it is to be answered.',
  full: (most: number) =>
    `A questionnaire may have ${digits.format(most)} questions, and this one has them all.`,
  noQuestions: 'There are no questions yet. Add the first one below.',
  counter: '{length} of {most} characters',

  save: 'Save questionnaire',
  preview: 'See it as the candidate will',
  cancel: 'Cancel',
  tryIt: 'Try it out',
  copy: 'Copy',
  useIt: 'Use it in a new ad',
  close: 'Close',
  open: 'Open again',

  made: 'Your questionnaire is saved. Use it in an ad, or try it out first.',
  saved: 'Your changes are saved.',
  wasClosed:
    'The questionnaire is closed: new ads cannot use it. Ads that have it keep it. If that was a mistake, open it again.',
  wasOpened: 'The questionnaire is open again: ads can use it.',
  isCopy: 'A copy to start from. Nothing is saved yet.',
  notSaved: 'Nothing is saved yet: save the questionnaire when you are done.',

  usedBy: (ads: Html[], hasMore: boolean): Html =>
    html`<p>This questionnaire is used by ${ads.map((ad, index) => html`${index > 0 && ', '}${ad}`)}${hasMore && ' and more'}.
When you save, candidates get the new questions at once. Applications that were already made keep the questions, the
answers and the outcome that they were sent with.</p>`,

  changedTitle: 'Somebody has changed this questionnaire since you opened it.',
  changed: (at: Html, path: string): Html =>
    html`It was last saved on ${at}. What you typed is below, unsaved. <a href="${path}" target="_blank" rel="noopener">Look at what is saved now</a> in another tab, or send yours again to replace it.`,
  changedTo: (name: string, count: number): Html =>
    html`What is saved now: ${theirs(name)}, ${counted(count, 'question', 'questions')}.`,

  previewTitle: 'As the candidate will see it',
  previewHint:
    'This is what stands in the form above, and nothing of it is saved yet. When it is saved, you can try it out.',
  tryTitle: (name: string) => `Try out: ${name}`,
  tryHeading: (name: string): Html => html`Try out: ${theirs(name)}`,
  tryLead:
    'This is what candidates are asked when they apply. Answer as one of them would, and see the outcome. Nothing is stored.',
  seeOutcome: 'See the outcome',
  passed: 'These answers pass.',
  failed: 'These answers do not pass.',
  outcome: 'Outcome',
  outcomePasses: 'Passes',
  outcomeFails: 'Does not pass',
  backToEdit: 'Change the questionnaire',
  noOutcome: 'No outcome yet.',

  tooLongTitle: 'This questionnaire is too long',
  tooLong: (megabytes: number, fields: number) =>
    `All texts of a questionnaire together may have about ${megabytes} MB, in ${digits.format(fields)} fields, and these have more. Nothing was saved.`,
  tooLongHelp:
    'Go back in your browser, where what you typed is still there, and shorten or remove some questions.',
  back: 'Back to the questionnaires',

  /** What is wrong, by the place that the rule names and the code of the rule. */
  fault(path: string, code: string, most: Most): string {
    const count = (name: keyof Most) => digits.format(most[name])
    if (code === 'more') return 'More is wrong than is told here. Mend these first.'
    if (path === 'name')
      return nameFaults[code] ?? `Use ${count('nameLength')} characters at most in the name.`
    if (path === 'questions') {
      return code === 'too-few'
        ? 'Add a question.'
        : `There may be ${count('screenQuestions')} questions at most.`
    }
    if (/\.options$/.test(path)) return optionsFault(code, count('screenAnswers'))
    if (/\.passingTexts$/.test(path)) return `There may be ${count('screenAnswers')} passing answers at most.`
    if (code === 'cannot-pass') return notAnAddress
    if (/\.id$/.test(path))
      return 'This question cannot be told apart from another. Remove it and add it again.'
    if (code === 'too-long') return `Use ${count('longTextLength')} characters at most.`
    if (code === 'unwritable-character') return unwritable
    return /\.options\[/.test(path) ? 'Write this answer, or remove it.' : 'Write the question, or remove it.'
  },
} as const

const notAnAddress =
  'Write the whole address of a page, beginning with https:// or http://: no other answer is taken.'

const unwritable = 'There is a character in it that cannot be saved. Type it again instead of pasting it.'

const nameFaults: Record<string, string> = {
  empty: 'Give the questionnaire a name.',
  'line-break': 'The name must be one line.',
  'unwritable-character': unwritable,
}

function optionsFault(code: string, most: string): string {
  if (code === 'too-few') return 'Add more answers to choose from.'
  return code === 'too-many'
    ? `There may be ${most} answers at most.`
    : 'The answers must be True and False. Remove the question and add it again.'
}
