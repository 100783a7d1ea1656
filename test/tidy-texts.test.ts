import assert from 'node:assert/strict'
import { test } from 'node:test'
import { questionTypes } from '../src/model/application.ts'
import { readText, repositoryFiles } from './harness/repository.ts'

/**
 * All words of a page go through the tag `t`, so that a catalogue can be extracted and the page translated. Rooms that do
 * not use the tag yet have them in one place: a file beside them, `texts.ts` or `x-texts.ts`, or a constant `texts` at
 * their top. Messages about single fields are with the rules that check them, and reach the page as values.
 */
const sources = repositoryFiles().filter(
  path => /^src\/.*\.ts$/.test(path) && !/(\.test|[-/]texts)\.ts$/.test(path),
)

/** The file without its constant of texts, with as many lines. */
const readWithoutTexts = (path: string) =>
  readText(path).replace(/^const texts = \{$.*?^\}/ms, texts => texts.replaceAll(/[^\n]/g, ''))

interface Template {
  line: number
  /** Its own text, with a mark in place of each value. */
  text: string
}

const mark = '\u{fffc}'

test('templates of pages contain no words, neither as text nor in attributes that are read out', () => {
  const found = sources.flatMap(path =>
    templatesIn(readWithoutTexts(path)).flatMap(({ line, text }) =>
      wordsIn(text).map(words => `${path}:${line}: ${words}`),
    ),
  )
  assert.deepEqual(found, [])
})

/** Mechanics of pages, which the kit in `src/platform/web` draws. */
const byHand = /name="form_token"|class="(?:notice|problem)[ "]|role="alert"/

test('pages draw form tokens, errors and notices with the kit', () => {
  const planted = [
    '<input type="hidden" name="form_token" value="x">',
    '<p class="notice">Saved.</p>',
    '<div class="problem" role="alert">',
  ]
  assert.deepEqual(
    planted.filter(line => !byHand.test(line)),
    [],
  )
  assert.deepEqual(
    sources.filter(path => !path.startsWith('src/platform/web/') && byHand.test(readText(path))),
    [],
  )
})

/** Tokens and summaries of errors that a page asks for itself. Its forms and acts get them from the kit. */
const asksItself = /\b(?:formToken|checkFormToken)\(|\berrorSummary\b/

/** Special pages, which have forms or errors that the kit doesn't draw. */
const specialPages = [
  'src/apply/form/markup.ts',
  'src/apply/form/pages.ts',
  'src/console/applications/list-markup.ts',
  'src/people/account/form-markup.ts',
  'src/people/account/proof-pages.ts',
  'src/share/authorize/routes.ts',
]

test('only special pages ask for tokens and summaries of errors themselves', () => {
  const planted = [
    'const token = sessions.formToken(reply, path)',
    "sessions.checkFormToken(request, fields.get('form_token'), path)",
    "import { errorSummary } from '../../platform/web/fields.ts'",
    'const summary = errorSummary(errors)',
  ]
  assert.deepEqual(
    planted.filter(line => !asksItself.test(line)),
    [],
  )
  assert.doesNotMatch('tokenFor(reply); const form = formsOf(sessions, reply)', asksItself)
  // `http` checks the tokens.
  const found = sources.filter(
    path => !/^src\/platform\/(http|web)\//.test(path) && asksItself.test(readText(path)),
  )
  assert.deepEqual(found.toSorted(), specialPages)
})

test('pages have no names or sentences in words of their own', () => {
  const pages = sources.filter(path => /(^|[/-])(pages|markup|views|navigation)\.ts$/.test(path))
  assert.ok(pages.length > 30)
  const named =
    /\b(label|hint|title|text|lead|caption|message|notice|fault|legend|describedAs|none)\??: (['"`])(?<text>.*?)\2/g
  const sentence = /(?<!\bt)(['`])(?<text>[A-Z][\w’-]* [a-z].*?)\1/g
  // Columns and notices of the page kit may be single words.
  const capital = /(?<!\bt)(['`])(?<text>[A-Z][a-z]+(?=\1|[^\w=/-]).*?)\1/g
  const usesTag = (path: string) => /\/t\.ts'$/m.test(readText(path))
  // Texts of problems and of the OpenAPI document are not for the reader of this page; other words name things in the code.
  const isForOthers = (line: string) =>
    /^\s*(\*|\/\/|\/\*)|\b(Problem|Error|contentResponse|endsWith|includes|header)\(|\b(summary|tags): |font-family/.test(
      line,
    )
  const names: readonly string[] = questionTypes
  const isWords = (text: string) =>
    /\p{L}/u.test(text.replaceAll(/\$\{[^}]*\}/g, '')) && !names.includes(text)
  const found = pages.flatMap(path =>
    readWithoutTexts(path)
      .split('\n')
      .flatMap((line, index) =>
        [
          ...line.matchAll(named),
          ...(isForOthers(line) ? [] : line.matchAll(usesTag(path) ? capital : sentence)),
        ]
          .filter(({ groups }) => isWords(groups?.['text'] ?? ''))
          .map(([whole]) => `${path}:${index + 1}: ${whole}`),
      ),
  )
  assert.deepEqual(found, [])
})

test('words of these rooms stand in their templates, not in files of texts', () => {
  const rooms =
    /^src\/(apply|demo\/site|jobs|share|site|platform\/web|people\/(activity|notifications|own-data|profile))\/(.*[-/])?texts\.ts$/
  assert.deepEqual(
    repositoryFiles().filter(path => rooms.test(path)),
    [],
  )
})

test('the search for words finds them', () => {
  const code = `const page = html\`<p class="a b">\${isNew ? html\`<b>New</b>\` : \`\${html\`x\`}\`}</p>
<input title="\${t}" aria-label="Press" value="Words" required>\`
const attributes = html\` required data-empty="\${empty}" type="email"\`
const address = /^https?:\\/\\//.test(at) ? html\`Here\` : ''
const quiet = 'html\`Words\`'
const entity = html\`<p>\${a}&nbsp;· \${b}, 12:30</p><!doctype html>\``
  const found = templatesIn(code).flatMap(({ line, text }) => wordsIn(text).map(words => `${line}: ${words}`))
  assert.deepEqual(found.toSorted(), ['1: New', '1: x', '2: Press', '4: Here'].toSorted())
})

/** The words of one template that people read. The name of a zone is no word. */
function wordsIn(template: string): string[] {
  const markup = template.replaceAll(/<!doctype html>|&#?\w+;/gi, ' ')
  if (!markup.includes('<') && isOnlyAttributes(markup)) return []
  const readOut = [...markup.matchAll(/\b(?:aria-label|title|alt|placeholder|label)="([^"]*)"/g)]
  const texts = [...readOut.map(([, value = '']) => value), ...markup.split(/<[^>]*>/)]
  return texts
    .map(text => text.replaceAll(mark, ' ').trim())
    .filter(text => /\p{L}/u.test(text.replace(/\bUTC\b/, '')))
}

/** A piece within a tag. */
function isOnlyAttributes(markup: string): boolean {
  return /^(\s*([\w\u{fffc}-]+="[^"]*"|required|readonly|defer|checked|disabled|hidden|data-[\w-]+|\u{fffc}))*\s*$/u.test(
    markup,
  )
}

/** Every html template of a file, including those within the values of others. */
function templatesIn(code: string): Template[] {
  const found: Template[] = []
  let at = 0
  let line = 1

  function step(): string {
    const character = code[at] ?? ''
    if (character === '\n') line += 1
    at += 1
    return character
  }

  function skipQuoted(quote: string): void {
    for (let next = step(); at < code.length && next !== quote && next !== '\n'; next = step()) {
      if (next === '\\') step()
    }
  }

  function readTemplate(isHtml: boolean): void {
    let start = line
    let text = ''
    while (at < code.length) {
      const character = step()
      if (character === '`') break
      if (character === '\\') text += step().replace('n', '\n')
      else if (character === '$' && code[at] === '{') {
        step()
        readCode('}')
        text += mark
      } else text += character
      // Reported line by line, because templates are long.
      if (character === '\n' && isHtml && isOutsideTag(text)) {
        found.push({ line: start, text })
        text = ''
        start = line
      }
    }
    if (isHtml) found.push({ line: start, text })
  }

  /** Reads on to the bracket that closes it, or to the end. */
  function readCode(end: string): void {
    let depth = 0
    while (at < code.length) {
      const rest = code.slice(at, at + 5)
      if (rest.startsWith('//') && code[at - 1] !== '\\') while (at < code.length && code[at] !== '\n') step()
      else if (rest.startsWith('/*')) while (at < code.length && !code.startsWith('*/', at)) step()
      else if (rest === 'html`') {
        at += 5
        readTemplate(true)
        continue
      }
      const character = step()
      if (character === '`') readTemplate(false)
      else if (character === "'" || character === '"') skipQuoted(character)
      else if (character === '{') depth += 1
      else if (character === '}' && depth-- === 0 && end === '}') return
    }
  }

  readCode('')
  return found
}

function isOutsideTag(text: string): boolean {
  return text.lastIndexOf('<') <= text.lastIndexOf('>')
}
