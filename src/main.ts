import { run } from './cli/program.ts'

/** The only file that reads the environment, the arguments and the signals of the process. */

// Whoever read our output may go away first, as in `dossier ... | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

// What one turn of the event loop prints goes out together: under load, one system call instead of many.
let printed = ''
function flush(): void {
  const text = printed
  printed = ''
  if (text !== '') process.stdout.write(text)
}
process.on('exit', flush)

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  print: text => {
    if (printed === '') setImmediate(flush)
    printed += text
  },
  complain: text => process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  untilStopRequested: () =>
    new Promise(resolve => {
      // A Ctrl-C arrives twice under npm, from the terminal and from npm itself: the second is not "faster".
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
    }),
})
