import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc, { type Arbitrary } from 'fast-check'
import { acceptedText } from '../../test/harness/arbitraries.ts'
import { checkDraft } from '../apply/draft-check.ts'
import { isVisible } from '../platform/core/text.ts'
import { type ApplicationDraft, type QuestionnaireResult, questionTypes } from './application.ts'
import type { Answers, Question, Questionnaire } from './questionnaire.ts'
import { checkAnswers } from './questionnaire-answers.ts'
import { questionnaireResult } from './questionnaire-outcome.ts'
import { longTextLength } from './text-lengths.ts'

const words = ['Sydney', 'sydney', ' SYDNEY ', 'New  Castle', 'new castle', 'Perth', ' ', '\u200b', '']
const word = fc.constantFrom(...words)

const question = (id: string): Arbitrary<Question> =>
  fc
    .record({
      type: fc.constantFrom(...questionTypes),
      text: acceptedText(longTextLength, true),
      isRequired: fc.boolean(),
      passing: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
      passingTexts: fc.array(
        word.filter(text => isVisible(text)),
        { maxLength: 2 },
      ),
    })
    .map(({ type, text, isRequired, passing, passingTexts }) => {
      const isFree = type === 'Text' || type === 'URLQuestion'
      const options = passing.map((passes, index) => ({
        id: `${index + 1}`,
        text: `Option ${index}`,
        passes,
      }))
      return {
        id,
        type,
        text,
        isRequired,
        options: isFree ? [] : options,
        passingTexts: isFree ? passingTexts : [],
      }
    })

/** Some options, including ones that do not exist, or some text; or no answer. */
const answer = ({ type }: Question): Arbitrary<readonly string[] | string | undefined> =>
  fc.option<readonly string[] | string, undefined>(
    type === 'Text' || type === 'URLQuestion'
      ? word
      : fc.uniqueArray(fc.constantFrom('1', '2', '3', '4', '5'), { maxLength: 3 }),
    { nil: undefined },
  )

interface Case {
  questionnaire: Questionnaire
  answers: Answers
}

const answered: Arbitrary<Case> = fc
  .integer({ min: 1, max: 4 })
  .chain(count => fc.tuple(...Array.from({ length: count }, (_, index) => question(`q${index}`))))
  .chain(questions =>
    fc.tuple(fc.constant(questions), fc.tuple(...questions.map(answer))).map(([asked, given]) => ({
      questionnaire: { id: 7, name: 'Screen', questions: asked },
      answers: new Map(
        asked.flatMap(({ id }, index) => {
          const value = given[index]
          return value === undefined ? [] : [[id, value] as const]
        }),
      ),
    })),
  )

/** The rule in other words: the set of passing answers and the set of given answers, as plain texts. */
function passesByTheBook(
  { id, type, isRequired, options, passingTexts }: Question,
  answers: Answers,
): boolean {
  const isFree = type === 'Text' || type === 'URLQuestion'
  const plain = (text: string) =>
    text.replaceAll('\u200b', '').split(/\s+/).filter(Boolean).join(' ').toUpperCase()
  const passing = isFree ? passingTexts.map(plain) : options.filter(o => o.passes).map(o => o.id)
  const sent = answers.get(id) ?? []
  const given = isFree
    ? [plain(String(sent))].filter(Boolean)
    : options.map(o => o.id).filter(optionId => sent.includes(optionId))
  if (passing.length > 0) return given.some(value => passing.includes(value))
  return given.length > 0 || !isRequired
}

describe('the outcome of a questionnaire', () => {
  test('it is successful exactly when every question passes', () => {
    const seen = { true: 0, false: 0 }
    fc.assert(
      fc.property(answered, ({ questionnaire, answers }) => {
        const { successful } = questionnaireResult(questionnaire, answers)
        seen[`${successful}`]++
        assert.equal(
          successful,
          questionnaire.questions.every(each => passesByTheBook(each, answers)),
        )
      }),
      { numRuns: 500 },
    )
    assert.ok(seen.true > 20 && seen.false > 20, `both outcomes are met: ${JSON.stringify(seen)}`)
  })

  test('one more passing answer to a question with several never turns success into failure', () => {
    let looked = 0
    fc.assert(
      fc.property(answered, fc.nat(), ({ questionnaire, answers }, pick) => {
        const choices = questionnaire.questions.flatMap(({ id, type, options }) =>
          type === 'MultipleChoiceManyAnswers'
            ? options.filter(({ passes }) => passes).map(option => [id, option.id] as const)
            : [],
        )
        const chosen = choices[pick % Math.max(1, choices.length)]
        if (chosen === undefined) return
        const [id, optionId] = chosen
        const more = new Map(answers).set(id, [...(answers.get(id) ?? []), optionId])
        if (!questionnaireResult(questionnaire, answers).successful) return
        looked++
        assert.ok(questionnaireResult(questionnaire, more).successful)
      }),
      { numRuns: 500 },
    )
    assert.ok(looked > 5, `${looked} successes were looked at`)
  })

  test('with no passing answers and no required questions, any answers succeed', () => {
    fc.assert(
      fc.property(answered, ({ questionnaire, answers }) => {
        const questions = questionnaire.questions.map(each => ({
          ...each,
          isRequired: false,
          passingTexts: [],
          options: each.options.map(option => ({ ...option, passes: false })),
        }))
        assert.ok(questionnaireResult({ ...questionnaire, questions }, answers).successful)
      }),
    )
  })

  test('the order of the answers does not matter', () => {
    fc.assert(
      fc.property(answered, ({ questionnaire, answers }) => {
        const turned = new Map(
          [...answers]
            .toReversed()
            .map(([id, given]) => [id, typeof given === 'string' ? given : given.toReversed()]),
        )
        assert.deepEqual(
          questionnaireResult(questionnaire, turned),
          questionnaireResult(questionnaire, answers),
        )
      }),
    )
  })

  const cases: [string, Partial<Question>, readonly string[] | string | undefined, boolean][] = [
    ['spaces and case are ignored', { passingTexts: ['New  Castle'] }, '\tnew castle ', true],
    ['another text does not pass', { passingTexts: ['Newcastle'] }, 'New castle', false],
    ['no text does not pass where one is named', { passingTexts: ['Newcastle'] }, undefined, false],
    ['white space is not an answer', { isRequired: true }, '  \n', false],
    ['any text answers a required question', { isRequired: true }, '-', true],
    ['a choice is no text', { isRequired: true }, ['-'], false],
  ]
  for (const [name, part, given, successful] of cases) {
    test(name, () => {
      const asked: Question = {
        id: 'a',
        type: 'Text',
        text: 'Where?',
        isRequired: false,
        options: [],
        passingTexts: [],
        ...part,
      }
      const answers: Answers = given === undefined ? new Map() : new Map([['a', given]])
      assert.equal(
        questionnaireResult({ id: 1, name: 'x', questions: [asked] }, answers).successful,
        successful,
      )
    })
  }
})

describe('the snapshot of a questionnaire', () => {
  test('it has every question in order, exactly the options of the questionnaire, and marks the given answers', () => {
    fc.assert(
      fc.property(answered, ({ questionnaire, answers }) => {
        const { questions } = questionnaireResult(questionnaire, answers)
        const seen = questions.map(({ id, type, text }) => ({ id, type, text }))
        assert.deepEqual(
          seen,
          questionnaire.questions.map(({ id, type, text }) => ({ id, type, text })),
        )
        questionnaire.questions.forEach(({ id, type, options }, index) => {
          const shown = questions[index]?.answers ?? []
          const given = answers.get(id) ?? []
          if (type === 'Text' || type === 'URLQuestion') {
            const text = typeof given === 'string' && given !== '\u200b' ? given.trim() : ''
            assert.deepEqual(shown, [{ id: `${id}-1`, text, selected: text !== '' }])
          } else {
            assert.deepEqual(
              shown,
              options.map(option => ({
                id: option.id,
                text: option.text,
                selected: given.includes(option.id),
              })),
            )
          }
        })
      }),
    )
  })

  test('texts are compared regardless of encoding, and spaces between words count as one', () => {
    const passes = (passing: string, given: string) => {
      const asked = { id: 'q', type: 'Text', text: 'Where?', isRequired: true, options: [] } as const
      const questions = [{ ...asked, options: [], passingTexts: [passing] }]
      return questionnaireResult({ id: 1, name: 'One', questions }, new Map([['q', given]])).successful
    }
    const city = 'São Paulo'
    assert.ok(passes(city.normalize('NFC'), city.normalize('NFD')))
    assert.ok(passes(city.normalize('NFD'), '  SÃO \u00a0\n PAULO'.normalize('NFC')))
    assert.ok(passes('Sydney', 'Ｓｙｄｎｅｙ'))
    assert.ok(!passes(city, 'SãoPaulo'))
    assert.ok(!passes(city, 'Sao Paulo'))
    assert.ok(!passes('Newcastle', 'New castle'))
  })

  test('an application accepts it unchanged if the choices are accepted', () => {
    const isOfChoices = ({ code }: { code: string }) => code === 'several' || code === 'unknown-option'
    fc.assert(
      fc.property(answered, ({ questionnaire, answers }) => {
        fc.pre(!checkAnswers(questionnaire, answers, id => id).some(isOfChoices))
        assert.deepEqual(checkDraft(draftWith(questionnaireResult(questionnaire, answers))), [])
      }),
    )
  })
})

function draftWith(screen: QuestionnaireResult): ApplicationDraft {
  const contact = { email: 'mary@example.com', firstName: 'Mary', lastName: 'Nguyen', phone: '' }
  return { jobSeekerId: 'mary', contact, files: [], screen }
}

test('a long answer is prepared for the comparison once, however many texts pass', () => {
  // With a preparation for each text, this would take minutes.
  const passingTexts = Array.from({ length: 100_000 }, (_, index) => `${index}`)
  const asked = { id: '1', text: 'Why?', isRequired: true, options: [] }
  const questions: Question[] = [{ ...asked, type: 'Text', passingTexts }]
  const answers = new Map([['1', '\uFDFA'.repeat(10_000)]])
  assert.equal(questionnaireResult({ id: 1, name: 'Screen', questions }, answers).successful, false)
})
