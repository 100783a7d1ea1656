import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, harbour } from '../harness/http.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import type { Service } from '../harness/service.ts'
import type { XmlNode } from '../harness/xml.ts'
import { type Attachment, attachments, sha256, tree } from './reading.ts'

interface ScreenAnswer {
  '@id': string
  '@selected'?: string
  '#text': string
}
interface Question {
  '@id': string
  '@type': string
  '@text': string
  answer: ScreenAnswer | ScreenAnswer[]
}
interface Screen {
  '@id': string
  '@name': string
  '@successful': string
  question: Question[]
}

async function screenAttachments(service: Service): Promise<Attachment[]> {
  return (await attachments(service)).filter(({ Type }) => Type === 'screen')
}

async function readScreen(service: Service, href: string): Promise<Screen> {
  const answer = await call(service, `/v1/${href}`, { headers: { ...harbour, accept: 'application/json' } })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.match(answer.headers.get('cache-control') ?? '', /\b(private|no-store)\b/)
  assert.deepEqual(Object.keys(answer.json()), ['screen'])
  return answer.json().screen
}

async function everyScreen(service: Service): Promise<Screen[]> {
  const screens: Screen[] = []
  for (const { Href } of await screenAttachments(service)) screens.push(await readScreen(service, Href))
  return screens
}

const answersOf = ({ answer }: Question): ScreenAnswer[] => (Array.isArray(answer) ? answer : [answer])

/** The XML that the contract asks for a JSON screen: `@` keys are attributes, `#text` is text. */
function screenXml(name: string, value: object): XmlNode {
  const node: XmlNode = { name, attributes: {}, children: [], text: '' }
  for (const [key, child] of Object.entries(value)) {
    if (key.startsWith('@')) node.attributes[key.slice(1)] = child
    else if (key === '#text') node.text = child
    else node.children.push(...[child].flat().map((item: object) => screenXml(key, item)))
  }
  return node
}

onOneEngineInTurn('screen results', service => {
  test('are one object with the keys of the spec in its order', async () => {
    const screens = await everyScreen(service())
    assert.ok(screens.length >= 2)
    for (const screen of screens) {
      assert.deepEqual(Object.keys(screen), ['@id', '@name', '@successful', 'question'])
      assert.match(screen['@successful'], /^(True|False)$/)
      assert.equal(typeof screen['@id'], 'string')
      assert.notEqual(screen['@name'], '')
      assert.ok(Array.isArray(screen.question) && screen.question.length > 0)
    }
    const outcomes = new Set(screens.map(screen => screen['@successful']))
    assert.deepEqual([...outcomes].sort(), ['False', 'True'], 'a failed screen is delivered like any other')
  })

  test('questions have their keys in order, and each of the five types occurs', async () => {
    const questions = (await everyScreen(service())).flatMap(({ question }) => question)
    for (const question of questions) {
      assert.deepEqual(Object.keys(question), ['@id', '@type', '@text', 'answer'])
      assert.equal(typeof question['@id'], 'string')
      assert.notEqual(question['@text'], '')
    }
    assert.deepEqual([...new Set(questions.map(question => question['@type']))].sort(), [
      'MultipleChoiceManyAnswers',
      'MultipleChoiceOneAnswer',
      'Text',
      'True/False',
      'URLQuestion',
    ])
  })

  test('answer is an array, for a Text question a single object', async () => {
    for (const question of (await everyScreen(service())).flatMap(screen => screen.question)) {
      assert.equal(Array.isArray(question.answer), question['@type'] !== 'Text', question['@type'])
      const answers = answersOf(question)
      assert.ok(answers.length > 0)
      for (const answer of answers) {
        const keys = ['@id', '@selected', '#text'].filter(key => key !== '@selected' || key in answer)
        assert.deepEqual(Object.keys(answer), keys)
        assert.equal(typeof answer['@id'], 'string')
        assert.equal(typeof answer['#text'], 'string')
        if ('@selected' in answer) assert.equal(answer['@selected'], 'True')
      }
    }
  })

  test('@selected is exactly on the options that were selected or entered', async () => {
    const questions = (await everyScreen(service())).flatMap(screen => screen.question)
    for (const question of questions) {
      const answers = answersOf(question)
      const selected = answers.filter(answer => '@selected' in answer).length
      if (question['@type'] === 'Text') assert.equal(selected === 1, answers[0]?.['#text'] !== '')
      if (['MultipleChoiceOneAnswer', 'True/False'].includes(question['@type'])) assert.ok(selected <= 1)
    }
    assert.ok(questions.some(question => answersOf(question).some(answer => '@selected' in answer)))
    assert.ok(questions.some(question => answersOf(question).some(answer => !('@selected' in answer))))
  })

  test('are the same tree in XML, whose bytes are those of Hash and Size', async () => {
    for (const { Href, Hash, Size } of await screenAttachments(service())) {
      const answer = await call(service(), `/v1/${Href}`, {
        headers: { ...harbour, accept: 'application/xml' },
      })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('content-type'), 'application/xml; charset=utf-8')
      assert.equal(sha256(answer.bytes), Hash)
      assert.equal(answer.bytes.length, Size)
      assert.deepEqual(tree(answer.text), screenXml('screen', await readScreen(service(), Href)))
    }
  })

  test('answer with and without /v1, in any letter case', async () => {
    for (const { Href } of await screenAttachments(service())) {
      const expected = await readScreen(service(), Href)
      for (const path of [`/${Href}`, `/V1/${Href}`, `/${Href.replace('screen', 'SCREEN')}`]) {
        const answer = await call(service(), path, { headers: harbour })
        assert.equal(answer.status, 200, path)
        assert.deepEqual(answer.json().screen, expected)
      }
    }
  })

  test('answer HEAD with the headers of GET and no body', async () => {
    for (const { Href } of await screenAttachments(service())) {
      for (const accept of ['application/json', 'application/xml']) {
        const headers = { ...harbour, accept }
        const get = await call(service(), `/v1/${Href}`, { headers })
        const head = await call(service(), `/v1/${Href}`, { method: 'HEAD', headers })
        assert.equal(head.status, 200)
        assert.equal(head.bytes.length, 0)
        assert.equal(head.headers.get('content-type'), get.headers.get('content-type'))
      }
    }
  })
})
