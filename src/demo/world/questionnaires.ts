import type { QuestionnaireResult, QuestionType } from '../../model/application.ts'
import { isTyped, type Questionnaire } from '../../model/questionnaire.ts'

/**
 * The questionnaires of the demo advertisers and the answers of candidates. Each questionnaire is defined
 * once, so that its texts and identifiers are the same in every application that carries it.
 */

interface Question {
  id: string
  type: QuestionType
  text: string
  /** Identifier and text of each option; a free-text question has one option without text. */
  options: [id: string, text: string][]
  isRequired?: true
  /** The options that pass; if empty, every answer passes. */
  passing?: string[]
}

export interface QuestionnaireDefinition {
  id: string
  name: string
  questions: Question[]
}

/** By question: the identifiers of the chosen options, or the text entered ('' if unanswered). */
type Answers = Record<string, string[] | string>

export function answered(
  questionnaire: QuestionnaireDefinition,
  successful: boolean,
  answers: Answers,
): QuestionnaireResult {
  return {
    id: questionnaire.id,
    name: questionnaire.name,
    successful,
    questions: questionnaire.questions.map(({ id, type, text, options }) => {
      const given = answers[id] ?? []
      return {
        id,
        type,
        text,
        answers: options.map(([optionId, optionText]) =>
          typeof given === 'string'
            ? { id: optionId, text: given, selected: given !== '' }
            : { id: optionId, text: optionText, selected: given.includes(optionId) },
        ),
      }
    }),
  }
}

/** The questionnaire as candidates see it now. */
export function questionnaireOf({ id, name, questions }: QuestionnaireDefinition): Questionnaire {
  return {
    id: Number(id),
    name,
    questions: questions.map(({ options, passing = [], isRequired = false, ...question }) => ({
      ...question,
      isRequired,
      options: isTyped(question.type)
        ? []
        : options.map(([optionId, text]) => ({ id: optionId, text, passes: passing.includes(optionId) })),
      passingTexts: [],
    })),
  }
}

// To pass: three years or more, weekday mornings among the shifts, the right to work.
export const headBarista: QuestionnaireDefinition = {
  id: '501',
  name: 'Head barista, Honeysuckle',
  questions: [
    {
      id: '7001',
      type: 'MultipleChoiceOneAnswer',
      text: 'How many years have you worked on a commercial espresso machine?',
      options: [
        ['90011', 'Less than 1 year'],
        ['90012', '1 to 2 years'],
        ['90013', '3 to 5 years'],
        ['90014', 'More than 5 years'],
      ],
      isRequired: true,
      passing: ['90013', '90014'],
    },
    {
      id: '7002',
      type: 'MultipleChoiceManyAnswers',
      text: 'Which shifts can you work? Choose all that apply.',
      options: [
        ['90021', 'Weekday mornings from 5.30 am'],
        ['90022', 'Weekday afternoons'],
        ['90023', 'Saturdays'],
        ['90024', 'Sundays & public holidays'],
      ],
      isRequired: true,
      passing: ['90021'],
    },
    {
      id: '7003',
      type: 'True/False',
      text: 'I have the right to work in Australia.',
      options: [
        ['90031', 'True'],
        ['90032', 'False'],
      ],
      isRequired: true,
      passing: ['90031'],
    },
    {
      id: '7004',
      type: 'Text',
      text: 'A new coffee arrives ten minutes before opening. How do you dial it in?',
      options: [['90041', '']],
      isRequired: true,
    },
    {
      id: '7005',
      type: 'URLQuestion',
      text: 'Please give the address of a page with pictures of your work.',
      options: [['90051', '']],
    },
  ],
}

// To pass: a driver licence, two years with business customers, at least one area to travel.
const wholesaleAccounts: QuestionnaireDefinition = {
  id: '502',
  name: 'Wholesale account manager',
  questions: [
    {
      id: '7101',
      type: 'True/False',
      text: 'I hold a full Australian driver licence.',
      options: [
        ['91011', 'True'],
        ['91012', 'False'],
      ],
    },
    {
      id: '7102',
      type: 'MultipleChoiceOneAnswer',
      text: 'How long have you looked after business customers?',
      options: [
        ['91021', 'Not yet'],
        ['91022', 'Up to 2 years'],
        ['91023', '2 years or more'],
      ],
    },
    {
      id: '7103',
      type: 'MultipleChoiceManyAnswers',
      text: 'Where are you happy to travel every week?',
      options: [
        ['91031', 'Newcastle & Lake Macquarie'],
        ['91032', 'Central Coast'],
        ['91033', 'Hunter Valley'],
        ['91034', 'Port Macquarie'],
      ],
    },
    {
      id: '7104',
      type: 'Text',
      text: 'Is there anything else that we should know? (optional)',
      options: [['91041', '']],
    },
  ],
}

// To pass: a heavy rigid licence and no suspension.
export const heavyRigidDriver: QuestionnaireDefinition = {
  id: '601',
  name: 'HR driver, Wingfield depot',
  questions: [
    {
      id: '7201',
      type: 'MultipleChoiceOneAnswer',
      text: 'Which is the highest class of driver licence that you hold?',
      options: [
        ['92011', 'C (car)'],
        ['92012', 'MR (medium rigid)'],
        ['92013', 'HR (heavy rigid)'],
        ['92014', 'HC or MC'],
      ],
      isRequired: true,
      passing: ['92013', '92014'],
    },
    {
      id: '7202',
      type: 'True/False',
      text: 'My licence has been suspended in the last five years.',
      options: [
        ['92021', 'True'],
        ['92022', 'False'],
      ],
      isRequired: true,
      passing: ['92022'],
    },
    {
      id: '7203',
      type: 'MultipleChoiceManyAnswers',
      text: 'Which of these do you hold?',
      options: [
        ['92031', 'Forklift licence (LF)'],
        ['92032', 'Dangerous goods licence'],
        ['92033', 'Fatigue management (BFM)'],
        ['92034', 'None of these'],
      ],
    },
    {
      id: '7204',
      type: 'Text',
      text: 'When could you start?',
      options: [['92041', '']],
    },
  ],
}

// To pass: a driver licence, and at least one weekday.
export const wholesaleTrainer: QuestionnaireDefinition = {
  id: '503',
  name: 'Wholesale trainer',
  questions: [
    {
      id: '7301',
      type: 'True/False',
      text: 'I hold a full Australian driver licence.',
      options: [
        ['93011', 'True'],
        ['93012', 'False'],
      ],
      isRequired: true,
      passing: ['93011'],
    },
    {
      id: '7302',
      type: 'MultipleChoiceManyAnswers',
      text: 'When could you visit cafes? Choose all that apply.',
      options: [
        ['93021', 'Weekday mornings'],
        ['93022', 'Weekday afternoons'],
        ['93023', 'Saturdays'],
      ],
      isRequired: true,
      passing: ['93021', '93022'],
    },
    {
      id: '7303',
      type: 'Text',
      text: 'What do you look at first in a cafe whose coffee tastes sour? (optional)',
      options: [['93031', '']],
    },
  ],
}

/** All five types of question, passed. The text holds what an XML writer must escape, and a line break. */
export const maryHeadBarista = answered(headBarista, true, {
  '7001': ['90014'],
  '7002': ['90021', '90023', '90024'],
  '7003': ['90031'],
  '7004':
    '18 g in, 36 g out, and taste. Under 25 s ("< 25")? One step finer & again.\n' +
    'Three shots at most, then I write the card and tell the team.',
  '7005': 'https://example.com/mary-nguyen/latte-art?year=2026&sort=new',
})

/** All five types of question, failed: one to two years on the machine. */
export const priyaHeadBarista = answered(headBarista, false, {
  '7001': ['90012'],
  '7002': ['90022', '90024'],
  '7003': ['90031'],
  '7004': 'I would ask the roaster for a starting recipe and change one thing at a time.',
  '7005': 'https://example.com/priya-raman',
})

/** Failed by the years alone; part of the text is in Japanese. */
export const misakiHeadBarista = answered(headBarista, false, {
  '7001': ['90012'],
  '7002': ['90021', '90022'],
  '7003': ['90031'],
  '7004': 'まず味を見ます。 I taste first, then change the grind, never two things at once.',
  '7005': 'https://example.com/misaki',
})

export const isabellaWholesale = answered(wholesaleAccounts, true, {
  '7101': ['91011'],
  '7102': ['91023'],
  '7103': ['91031', '91032', '91033', '91034'],
  '7104': 'I am away from 21 to 28 December and can start on 4 January.',
})

/** Failed: no area at all was chosen. The optional question is left unanswered. */
export const arohaWholesale = answered(wholesaleAccounts, false, {
  '7101': ['91011'],
  '7102': ['91023'],
  '7103': [],
  '7104': '',
})

export const rubyDriver = answered(heavyRigidDriver, true, {
  '7201': ['92013'],
  '7202': ['92022'],
  '7203': ['92031', '92033'],
  '7204': 'Two weeks after an offer.',
})

export const viktorDriver = answered(heavyRigidDriver, false, {
  '7201': ['92011'],
  '7202': ['92022'],
  '7203': ['92031'],
  '7204': 'Immediately',
})
