import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QuestionnaireResult } from '../../model/application.ts'
import { type Answers, isTyped } from '../../model/questionnaire.ts'
import { checkAnswers } from '../../model/questionnaire-answers.ts'
import { questionnaireResult } from '../../model/questionnaire-outcome.ts'
import { demoJobAds, demoQuestionnaires } from './board.ts'
import { harbourApplications } from './harbour-applications.ts'
import { southernApplications } from './southern-applications.ts'

/** The answers that produce this result. */
function answersOf({ questions }: QuestionnaireResult): Answers {
  return new Map(
    questions.map(({ id, type, answers }) => {
      const given = answers.filter(({ selected }) => selected)
      return [id, isTyped(type) ? (given[0]?.text ?? '') : given.map(answer => answer.id)]
    }),
  )
}

test('past results match what the questionnaires give now', () => {
  let judged = 0
  for (const { screen: result } of [...harbourApplications, ...southernApplications]) {
    const questionnaire = demoQuestionnaires.find(({ id }) => String(id) === result?.id)
    if (result === undefined || questionnaire === undefined) continue
    const answers = answersOf(result)
    assert.deepEqual(
      checkAnswers(questionnaire, answers, id => id),
      [],
    )
    assert.equal(questionnaireResult(questionnaire, answers).successful, result.successful, result.name)
    judged++
  }
  assert.equal(judged, 5)
})

test('every demo ad uses a questionnaire of its own advertiser, or none', () => {
  for (const { advertiserId, screenId, description } of demoJobAds) {
    assert.ok(
      screenId === null || demoQuestionnaires.some(s => s.id === screenId && s.advertiserId === advertiserId),
    )
    assert.doesNotMatch(description, /undefined/)
  }
  assert.deepEqual(
    demoJobAds.map(({ id, reference }) => [id, reference]),
    [
      [31, 'HCR-7'],
      [32, 'HCR-9'],
      [33, 'HCR-12'],
      [41, 'SCL-2188'],
      [42, 'SCL-2201'],
    ],
  )
})
