import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readText, repositoryFiles } from './harness/repository.ts'

const sources = repositoryFiles().filter(path => /^src\/.*\.ts$/.test(path) && !path.endsWith('.test.ts'))

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

test('words stand in their templates, except those of emails, documents and lists of words', () => {
  assert.deepEqual(
    sources.filter(path => path.endsWith('texts.ts')),
    [
      'src/operator/keys/lost-keys-texts.ts',
      'src/operator/lookup/erased-texts.ts',
      'src/operator/restored/reconciled-texts.ts',
      'src/people/mail/account-texts.ts',
      'src/people/mail/notice-texts.ts',
      'src/people/mail/report-texts.ts',
      'src/platform/backup/target-texts.ts',
    ],
  )
})
