import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import {
  argument,
  choice,
  flag,
  inheritedFlag,
  negatedFlag,
  numericId,
  option,
  repeatedOption,
} from './arguments.ts'
import { addCommands, declare, group } from './command.ts'

interface Context {
  print(text: string): void
  log: string[]
}

const command = declare<Context, { shelf: string }>(async (context, use) => {
  context.log.push('open')
  await use({ shelf: 'top' })
  context.log.push('close')
})

const commands = {
  book: group('Manage books.', {
    add: command({
      about: 'Add a book.',
      takes: { title: argument('its title') },
      options: {
        firstPage: option('<page>', 'where it begins', numericId),
        by: repeatedOption('<author>', 'may be repeated'),
        size: choice('<size>', 'how large', ['small', 'large'], 'small'),
        lent: flag('is it lent?'),
        index: negatedFlag('without an index'),
      },
      run: ({ shelf }, input) => ({ ...input, shelf }),
      prints: { line: ({ title, shelf }) => `${title} is on the ${shelf} shelf.`, json: result => result },
    }),
    list: command({
      alias: 'all',
      about: 'List books.',
      options: { none: flag('find none') },
      run: (_, { none }) => (none ? [] : [{ title: 'Emma', by: ['Jane', 'Austen'], pages: null }]),
      prints: { rows: books => books, whenEmpty: ({ none }) => `none: ${none}` },
    }),
  }),
  count: command({
    about: 'Count books.',
    options: { json: flag('print a number') },
    run: (_, { json }, { print }) => print(`count ${json}\n`),
    commands: {
      pages: command({
        about: 'Count pages.',
        options: { json: inheritedFlag },
        run: (_, { json }) => json,
        prints: json => `pages ${json}`,
      }),
    },
  }),
}

async function run(...args: string[]) {
  let printed = ''
  const log: string[] = []
  const print = (text: string) => {
    printed += text
    log.push('print')
  }
  const program = new Command('shelf').exitOverride().configureOutput({ writeOut: print, writeErr: print })
  addCommands(program, commands, { print, log })
  const failure: unknown = await program.parseAsync(args, { from: 'user' }).then(
    () => undefined,
    error => error.exitCode,
  )
  return { printed, log, failure }
}

test('a command gets its arguments and options with their types, and prints a line or JSON before it closes', async () => {
  const { printed, log } = await run('book', 'add', 'Emma')
  assert.equal(printed, 'Emma is on the top shelf.\n')
  assert.deepEqual(log, ['open', 'print', 'close'])
  const args = [
    'book',
    'add',
    'Emma',
    '--first-page',
    '7',
    '--by',
    'Jane',
    '--by',
    'Austen',
    '--no-index',
    '--json',
  ]
  assert.deepEqual(JSON.parse((await run(...args)).printed), {
    title: 'Emma',
    firstPage: 7,
    by: ['Jane', 'Austen'],
    size: 'small',
    lent: false,
    index: false,
    shelf: 'top',
  })
})

test('a list is a table, JSON, or the sentence for none', async () => {
  assert.equal((await run('book', 'all')).printed, 'title  by           pages\nEmma   Jane Austen  -\n')
  assert.deepEqual(JSON.parse((await run('book', 'list', '--json')).printed), [
    { title: 'Emma', by: ['Jane', 'Austen'], pages: null },
  ])
  assert.equal((await run('book', 'list', '--none')).printed, 'none: true\n')
})

test('a flag of the command above reaches the one below it', async () => {
  assert.equal((await run('count', '--json')).printed, 'count true\n')
  assert.equal((await run('count', 'pages', '--json')).printed, 'pages true\n')
})

test('wrong usage opens nothing', async () => {
  for (const args of [
    ['book', 'add'],
    ['book', 'add', 'Emma', '--first-page', 'seven'],
    ['book', 'add', 'Emma', '--size', 'huge'],
    ['book', 'lend'],
  ]) {
    const { log, failure } = await run(...args)
    assert.deepEqual([log.includes('open'), failure], [false, 1])
  }
})
