import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { invalidField } from '../core/fields.ts'
import type { Sessions } from '../http/auth/sessions.ts'
import type { SentForms } from '../http/rates/sent-forms.ts'
import { FormFields } from '../http/requests/form.ts'
import { table } from './components.ts'
import { inputs, passwordInput, textInput } from './forms.ts'
import { html } from './html.ts'
import { publicPage } from './page-routes.ts'
import { refusal, secretPage, showOnce, tabOf, warning } from './tab.ts'

const sessions = {
  formToken: (_: FastifyReply, ...purpose: string[]) => `token for ${purpose.join(' ')}`,
  checkForm: ({ fields }: { fields: FormFields }) => fields,
} as unknown as Sessions

let sent: { status: number; title?: string; body: string }[]
const tab = tabOf<'public'>({
  sessions,
  view: publicPage,
  change: publicPage,
  formPage: '/shelves',
  canChange: () => true,
  send({ reply }, { status, title, body }) {
    sent.push({ status: status ?? 200, title, body: body.text })
    return reply
  },
})
const reply = {
  status: () => reply,
  headers({ location }: { location: string }) {
    sent.push({ status: 303, body: location })
    return reply
  },
  send: () => reply,
} as unknown as FastifyReply

let books: string[]
beforeEach(() => {
  books = ['Emma', 'Ulysses']
  sent = []
})
const routes = tab('/shelves/:shelf', {
  show: ({ params, form, button, canChange }) => ({
    title: `Shelf ${params.shelf}`,
    failed: 'No book was added.',
    body: html`${table({
      caption: 'Books',
      empty: 'No books yet.',
      rows: books,
      columns: [['Title', book => book]],
      actions: canChange && (book => button({ action: '/remove', fields: { book }, label: 'Remove' })),
    })}
${form({
  action: `/shelves/${params.shelf}`,
  fields: [textInput({ name: 'book', label: 'Title', attributes: inputs.requiredText })],
  label: 'Add book',
})}`,
  }),
  acts: {
    '': {
      command: 'book add',
      audit: 'book.add',
      async run({ value }) {
        if (value('book') === '') throw invalidField('book', 'required', 'Enter a title.')
        books.push(value('book'))
        return 'added'
      },
    },
    'remove/:book': {
      command: 'book remove',
      audit: 'book.remove',
      confirm: async ({ params }) => ({
        title: `Remove ${params.book}?`,
        text: 'It can’t be undone.',
        label: 'Remove book',
        back: '/shelves',
      }),
      async run({ params }) {
        if (!books.includes(params.book)) return refusal('There is no such book.')
        books = books.filter(book => book !== params.book)
        return 'removed'
      },
    },
  },
  done: { added: 'Added.', removed: 'Removed.' },
})

const loans = tab('/loans', {
  show({ query, state, form }) {
    if (query.get('by') === 'nobody' && state.errors.length === 0)
      throw invalidField('by', 'unknown', 'Enter the name of a reader.')
    return {
      title: 'Loans',
      crumbs: [{ href: '/shelves', label: 'Shelves' }],
      failed: 'Nothing was lent.',
      body: form({
        action: '/loans',
        fields: [textInput({ name: 'by', label: 'Reader' })],
        label: 'Lend',
      }),
    }
  },
  acts: {
    '': {
      run: async call =>
        call.value('action') === 'list'
          ? { download: reply }
          : { page: { title: 'Lent', body: html`<p>${call.value('by')}</p>` } },
    },
    end: {
      ask: async () => ({
        title: 'End all loans?',
        crumbs: [{ href: '/loans', label: 'Loans' }],
        text: 'Every reader gets an email.',
        label: 'End loans',
        keep: 'Keep loans',
        back: '/loans',
        isOnce: true,
      }),
      run: async () => 'late',
    },
  },
  done: { late: warning('Some are late.') },
})

async function call(
  index: number,
  url: string,
  params: Record<string, string>,
  body = '',
  of: readonly RouteOptions[] = routes,
) {
  const { handler, method } = of[index] as RouteOptions
  const sentBody = method === 'POST' ? new FormFields(body) : undefined
  const request = { url, params, body: sentBody } as unknown as FastifyRequest
  await handler.call({} as never, request, reply)
  return sent.at(-1) ?? assert.fail('nothing was sent')
}

test('a page shows its rows, and the notice that its address names', async () => {
  const { status, body } = await call(0, '/shelves/a?done=added', { shelf: 'a' })
  assert.equal(status, 200)
  assert.match(body, /<div class="notice good" role="status"><p>Added\.<\/p><\/div>.*Emma.*Ulysses/s)
  assert.doesNotMatch((await call(0, '/shelves/a?done=toString', { shelf: 'a' })).body, /notice/)
  books = []
  assert.match((await call(0, '/shelves/a', { shelf: 'a' })).body, /<p class="quiet">No books yet\.<\/p>/)
})

test('an act leads back to its page', async () => {
  const answer = await call(1, '/shelves/a b', { shelf: 'a b' }, 'book=Persuasion')
  assert.deepEqual(answer, { status: 303, body: '/shelves/a%20b?done=added' })
  assert.equal(books.at(-1), 'Persuasion')
})

test('invalid fields show the form again, with a summary', async () => {
  const { status, body } = await call(1, '/shelves/a', { shelf: 'a' }, 'book=')
  assert.equal(status, 422)
  assert.match(
    body,
    /role="alert".*No book was added\..*<a href="#book">Enter a title\..*aria-invalid="true"/s,
  )
})

test('a question comes first, and what cannot be done is said', async () => {
  const [url, params] = ['/shelves/a/remove/Emma', { shelf: 'a', book: 'Emma' }]
  const question = await call(2, url, params)
  assert.equal(question.title, 'Remove Emma?')
  assert.match(question.body, /action="\/shelves\/a\/remove\/Emma".*name="confirmed" value="yes"/s)
  assert.deepEqual(books, ['Emma', 'Ulysses'])
  assert.equal((await call(2, url, params, 'confirmed=yes')).body, '/shelves/a?done=removed')
  assert.deepEqual(books, ['Ulysses'])
  const refused = await call(2, url, params, 'confirmed=yes')
  assert.equal(refused.status, 409)
  assert.match(refused.body, /There is no such book/)
})

test('the address of an act asks, and a notice may be a warning', async () => {
  const { title, body } = await call(2, '/loans/end', {}, '', loans)
  assert.equal(title, 'End all loans?')
  assert.match(body, /action="\/loans\/end".*name="form_key".*Every reader gets an email\./s)
  assert.match(body, /<button class="danger".*End loans.*<a class="button second" href="\/loans">Keep loans/s)
  assert.equal((await call(3, '/loans/end', {}, '', loans)).body, '/loans?done=late')
  assert.match(
    (await call(0, '/loans?done=late', {}, '', loans)).body,
    /class="notice warning".*Some are late/s,
  )
})

test('the result of an act may be another page or a download', async () => {
  const { title, body } = await call(1, '/loans', {}, 'action=lend&by=Ana', loans)
  assert.deepEqual([title, body.trim()], ['Lent', '<p>Ana</p>'])
  const before = sent.length
  const action = loans[1] as RouteOptions
  const request = { url: '/loans', params: {}, body: new FormFields('action=list') }
  assert.equal(await action.handler.call({} as never, request as unknown as FastifyRequest, reply), reply)
  assert.equal(sent.length, before)
})

test('invalid fields in the address are shown with their values', async () => {
  const { status, body } = await call(0, '/loans?by=nobody', {}, '', loans)
  assert.equal(status, 422)
  assert.match(body, /Nothing was lent\..*href="#by">Enter the name of a reader\..*value="nobody"/s)
})

test('routes name the command and the audit entry of their act', () => {
  assert.deepEqual(
    routes.map(({ method, url, config }) => [method, url, config?.act?.audit]),
    [
      [['GET', 'HEAD'], '/shelves/:shelf', undefined],
      ['POST', '/shelves/:shelf', 'book.add'],
      ['POST', '/shelves/:shelf/remove/:book', 'book.remove'],
    ],
  )
})

const desk = tab('/desk', {
  show: ({ form, button, value }) => ({
    title: 'Desk',
    failed: '',
    body: html`${value('light')}${form({
      action: '/desk',
      act: 'move',
      fields: [
        textInput({ id: 'new-room', name: 'room', label: 'Room' }),
        passwordInput({ name: 'key', label: 'Key', autocomplete: 'current-password' }),
      ],
      label: 'Move',
    })}${form({ action: '/desk', act: 'rent', fields: [textInput({ name: 'room', label: 'Room' })], label: 'Rent' })}
${button({ action: '/desk', act: 'sell', label: 'Sell' })}`,
  }),
  namedActs: {
    move: {
      proof: 'factor',
      run: async () => ({
        errors: [{ field: 'room', code: 'unknown', message: 'There is no such room.' }],
        ids: { room: 'new-room' },
      }),
    },
    rent: { run: async () => ({ page: { title: 'Contract', body: html`` } }) },
    sell: {
      confirm: async () => ({ title: 'Sell?', text: 'It is gone then.', label: 'Sell', back: '/desk' }),
      run: async () => ({ location: '/shop' }),
    },
  },
})

test('the forms of one address are told apart by their names', async () => {
  const at = (body: string, url = '/desk', index = 1) => call(index, url, {}, body, desk)
  assert.match((await at('', '/desk?light=on', 0)).body, /^\non<form/)

  const { status, body } = await at('action=move&room=<1>&key=secret')
  assert.equal(status, 422)
  assert.match(
    body,
    /<p>Please check the following:<\/p>\n<ul><li><a href="#new-room">There is no such room\./,
  )
  assert.match(body, /value="token for \/desk move"><input type="hidden" name="action" value="move">/)
  // What was typed, and what is wrong with it, stays with its form, and a password is not repeated.
  assert.equal(body.split('&lt;1&gt;').length, 2)
  assert.equal(body.split('aria-invalid').length, 2)
  assert.doesNotMatch(body, /secret/)

  assert.equal((await at('action=rent')).title, 'Contract')
  assert.match((await at('action=sell')).body, /token for \/desk sell.*name="action" value="sell"/s)
  assert.deepEqual(await at('action=sell&confirmed=yes'), { status: 303, body: '/shop' })
  assert.deepEqual(desk[1]?.config?.proof, { move: 'factor' })
  for (const unknown of ['action=toString', ''])
    await assert.rejects(at(unknown), { name: 'Problem', code: 'bad-request' })
})

const rooms = tab('/rooms', {
  show: ({ form }) => ({
    title: 'Rooms',
    body: html`${['/rooms', '/rooms/guests', '/rooms/keys?for=1'].map(action =>
      form({ action, fields: [textInput({ name: 'name', label: 'Name', value: 'Oak' })], label: 'Save' }),
    )}`,
  }),
  acts: {
    '': { run: async () => 'saved' },
    guests: { run: async () => ({ ...refusal('It is full.'), values: { name: 'Ann' } }) },
    keys: {
      async run() {
        throw invalidField('name', 'unknown', 'There is no such room.')
      },
    },
  },
})

test('the forms of one page that have addresses of their own keep their values', async () => {
  const namesIn = (body: string) =>
    [...body.matchAll(/ name="name" value="([^"]*)"/g)].map(([, name]) => name)
  const rejected = await call(3, '/rooms/keys?for=1', {}, 'name=Elm', rooms)
  assert.deepEqual(namesIn(rejected.body), ['Oak', 'Oak', 'Elm'])
  assert.equal(rejected.body.split('aria-invalid').length, 2)
  assert.deepEqual(namesIn((await call(2, '/rooms/guests', {}, 'name=Ann', rooms)).body), [
    'Oak',
    'Ann',
    'Oak',
  ])
})

test('a named act wants the proof of its tab, unless it names another', () => {
  const guarded = tabOf<'public'>({
    sessions,
    view: publicPage,
    change: publicPage,
    proof: 'fresh',
    canChange: () => true,
    send: ({ reply: to }) => to,
  })
  const safe = guarded('/safe', {
    show: () => ({ title: 'Safe', body: html`` }),
    namedActs: { open: { run: async () => 'opened' }, empty: { proof: 'sign-in', run: async () => 'empty' } },
  })
  assert.deepEqual(safe[1]?.config?.proof, { open: 'fresh', empty: 'sign-in' })
})

test('a secret has a page of its own, which is shown once', async () => {
  const sentKeys = new Set<string>()
  const sentForms = {
    async once(_: unknown, fields: FormFields, act: () => Promise<string>) {
      const key = fields.get('form_key') ?? ''
      const location = sentKeys.has(key) ? '/keys?done=shown-once' : await act()
      sentKeys.add(key)
      return { location }
    },
  } as unknown as SentForms
  const keys = tab('/keys', {
    show: () => ({ title: 'Keys', body: html`` }),
    acts: {
      '': {
        run: call =>
          showOnce(sentForms, call as unknown as Parameters<typeof showOnce>[1], {
            make: async () => '<key>',
            location: () => '/keys?done=shown-once',
            show: value =>
              secretPage({
                title: 'Your new key',
                label: 'Key',
                value,
                warning: 'It is shown only here.',
                next: { href: '/keys' },
              }),
          }),
      },
    },
  })
  const { status, title, body } = await call(1, '/keys', {}, 'form_key=1', keys)
  assert.deepEqual([status, title], [200, 'Your new key'])
  assert.match(body, /class="notice warning".*Copy it now\..*It is shown only here\..*value="&lt;key&gt;"/s)
  assert.match(body, /<a class="button" href="\/keys">I’ve copied it/)
  assert.equal((await call(1, '/keys', {}, 'form_key=1', keys)).body, '/keys?done=shown-once')
})
