import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { adRuleSets, brokenRules, earlierPayReason, readAdRules } from './ad-rules.ts'

const eu = readAdRules('eu')
const ontario = readAdRules('ontario')

describe('rules about ads', () => {
  test('each has a field once, and a sentence as its reason', () => {
    for (const [name, { fields, earlierPay = 'None.' }] of Object.entries(adRuleSets)) {
      assert.equal(new Set(fields.map(({ field }) => field)).size, fields.length, name)
      for (const reason of [...fields.map(each => each.reason), earlierPay])
        assert.match(reason, /^[A-Z].*\.$/)
    }
  })

  test('several are in force together; none without the setting', () => {
    assert.deepEqual(readAdRules(undefined), [])
    assert.deepEqual(readAdRules(' eu ,ontario,eu'), [...eu, ...ontario])
  })

  test('an ad breaks those about the fields that it lacks', () => {
    const pay = { min: 1, currency: 'CAD', period: 'hour' } as const
    const fields = (details = {}) => brokenRules(ontario, details).map(({ field }) => field)
    assert.deepEqual(fields(), ['pay', 'vacancy', 'aiScreening'])
    // "No" is an answer.
    assert.deepEqual(fields({ pay, aiScreening: false }), ['vacancy'])
    assert.deepEqual(brokenRules([], {}), [])
  })
})

test('questions about earlier pay are recognised by simple words', () => {
  for (const asked of [
    'What is your current salary?',
    'SALARY HISTORY',
    'How much did you earn in your last job?',
    'How much are you paid at present?',
    'Wie hoch ist Ihr aktuelles Jahresgehalt?',
    'Was haben Sie bisher verdient?',
    'Quelle était votre rémunération précédente ?',
    'Quel est votre salaire actuel ?',
    'Combien gagnez-vous actuellement ?',
    'Ihr jetziges Gehalt',
    'Wie hoch ist Ihr momentanes Gehalt?',
    'Was verdienen Sie zurzeit?',
    'Was verdienen Sie im Moment?',
    'How much do you make now?',
    'What do you currently make a year?',
    'Was verdienst du jetzt?',
  ]) {
    assert.match(earlierPayReason(eu, asked) ?? '', /Directive/, asked)
    assert.equal(earlierPayReason(ontario, asked), undefined, 'no rule in force forbids it')
  }
  for (const harmless of [
    'What salary do you expect?',
    'Which payroll software did you use in your last job?',
    'What is your current notice period?',
    'What is your expected salary?',
    'What salary would you accept now?',
    'Ihre Gehaltsvorstellung',
    'Was möchten Sie jetzt verdienen?',
    'Quelles sont vos prétentions salariales ?',
    'What salary do you expect for the position?',
    'Do you know how to make coffee?',
    'What did you make in your last pottery class?',
    'How much do you know about coffee?',
    '',
  ])
    assert.equal(earlierPayReason(eu, harmless), undefined, harmless)
})
