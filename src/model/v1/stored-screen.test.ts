import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { questionKinds, questionTypes, type ResultQuestion } from '../application.ts'
import { renderScreen } from './screen-rendering.ts'
import { questionsIn } from './stored-screen.ts'

const plain = { noNullPrototype: true }
const answer = fc.record({ id: fc.string(), text: fc.string(), selected: fc.boolean() }, plain)
const question: fc.Arbitrary<ResultQuestion> = fc
  .record(
    {
      id: fc.string(),
      type: fc.constantFrom(...questionTypes),
      text: fc.string(),
      kind: fc.constantFrom(...questionKinds),
      reference: fc.string(),
    },
    { ...plain, requiredKeys: ['id', 'type', 'text'] },
  )
  .chain(about =>
    fc
      .array(answer, about.type === 'Text' ? { minLength: 1, maxLength: 1 } : { maxLength: 4 })
      .map(answers => ({ ...about, answers })),
  )

test('a stored questionnaire is read back, question by question', () => {
  fc.assert(
    fc.property(fc.array(question, { maxLength: 4 }), questions => {
      const rendered = renderScreen({ id: '1', name: 'Screen', successful: false, questions })
      assert.deepEqual(questionsIn(rendered), questions)
      const isPlain = questions.every(({ kind, reference }) => kind === undefined && reference === undefined)
      assert.equal(rendered.details === null, isPlain)
    }),
  )
})
