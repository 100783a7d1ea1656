import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply } from 'fastify'
import type { Sessions } from '../http/auth/sessions.ts'
import { choice, formsOf, row, textInput, tick } from './forms.ts'

const sessions = { formToken: (_reply: unknown, path: string) => `token of ${path}` } as unknown as Sessions
const reply = {} as FastifyReply
const page = {
  action: '/things',
  fields: [
    row(textInput({ name: 'name', label: 'Name' }), textInput({ name: 'size', label: 'Size', value: '7' })),
    choice({ name: 'kind', label: 'Kind', choices: [{ id: 'a', description: 'A' }] }),
    tick({ name: 'sure', label: 'Sure' }),
  ],
  label: 'Add thing',
}

test('a form has its token, and each field its first value', () => {
  const { text } = formsOf(sessions, reply).form(page)
  assert.match(text, /^<form class="card" method="post" action="\/things" novalidate>/)
  assert.match(text, /name="form_token" value="token of \/things">/)
  assert.match(text, /id="name" name="name" value="" .*id="size" name="size" value="7" /s)
  assert.doesNotMatch(text, /form_key|aria-invalid|selected|checked/)
})

test('a form that is shown again has what was typed, and each error at its field', () => {
  const values = { name: '"x"', size: '', kind: 'a', sure: 'yes' }
  const errors = [{ field: 'size', code: 'required', message: 'Enter a size.' }]
  const { text } = formsOf(sessions, reply, { values, errors }).form(page)
  assert.match(text, /name="name" value="&quot;x&quot;" >/)
  assert.match(text, /name="size" value="" {2}aria-invalid="true" aria-describedby="size-fault">/)
  assert.match(text, /<span class="fault" id="size-fault">Enter a size\.<\/span>/)
  assert.match(text, /<option value="a" selected>A/)
  assert.match(text, /name="sure" value="yes" checked/)
})

test('a form that creates something has a new key each time', () => {
  const { form } = formsOf(sessions, reply)
  const keys = [1, 2].map(
    () => /name="form_key" value="([^"]+)"/.exec(form({ ...page, isOnce: true }).text)?.[1],
  )
  assert.ok(keys[0] !== undefined && keys[0] !== keys[1])
  // Otherwise Firefox restores the former key when the page is loaded again.
  assert.match(form({ ...page, isOnce: true }).text, /name="form_key" value="[^"]+" autocomplete="off">/)
})

test('a form without fields is one button, with what is sent along', () => {
  const { text } = formsOf(sessions, reply).form({
    action: '/end',
    hidden: { id: '1' },
    label: 'End',
    kind: 'danger',
  })
  assert.match(text, /<input type="hidden" name="id" value="1">.*<button class="danger" type="submit">End</s)
  assert.doesNotMatch(text, /novalidate/)
})
