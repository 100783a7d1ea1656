import type { Argument, Command, Option } from 'commander'
import type { Modules } from '../core/modules.ts'
import { inheritedFlag, type Parameter } from './arguments.ts'
import { formatList } from './table.ts'

/**
 * A command of the program; `addTo` registers it with Commander, which parses arguments, prints help and rejects wrong
 * usage.
 */
export interface Declared<Context> {
  addTo(command: Command, context: Context): void
}
export type Commands<Context> = Readonly<Record<string, Declared<Context>>>

type Parameters<Kind extends Argument | Option> = Readonly<Record<string, Parameter<Kind, unknown>>>
type Values<Declared> = {
  [Name in keyof Declared]: Declared[Name] extends Parameter<Argument | Option, infer Value> ? Value : never
}
type Row = Record<string, unknown>

/** How a command's result is printed: as a line only, or as a line or table that `--json` replaces with JSON. */
type Prints<Result, Input> =
  | ((result: Result, input: Input) => string)
  | { line(result: Result, input: Input): string; json(result: Result, input: Input): unknown }
  | {
      rows(result: Result, input: Input): readonly Row[]
      /** Set only if it differs from the rows. */
      json?(result: Result, input: Input): readonly Row[]
      whenEmpty: string | ((input: Input) => string)
    }

interface Declaration<Context, Tools, Takes, Options, Result> {
  about: string
  alias?: string
  takes?: Takes
  options?: Options
  /** Throws if the values contradict each other, before anything is opened. */
  check?(input: Values<Takes & Options>): void
  run(tools: Tools, input: Values<Takes & Options>, context: Context): Promise<Result> | Result
  prints?: Prints<Awaited<Result>, Values<Takes & Options>>
  /** The subcommands. */
  commands?: Commands<Context>
}

type None = Record<never, never>

/**
 * Creates the function that declares commands whose `run` needs the result of `open`, which is closed after the output
 * is printed.
 */
export const declare =
  <Context extends { print(text: string): void }, Tools>(
    open: (context: Context, use: (tools: Tools) => Promise<void>) => Promise<void>,
  ) =>
  <Takes extends Parameters<Argument> = None, Options extends Parameters<Option> = None, Result = void>(
    declaration: Declaration<Context, Tools, Takes, Options, Result>,
  ): Declared<Context> => ({
    addTo(command, context) {
      const { about, alias, run, prints, commands = {} } = declaration
      const takes: Parameters<Argument> = declaration.takes ?? {}
      const options: Parameters<Option> = declaration.options ?? {}
      command.description(about)
      if (alias !== undefined) command.alias(alias)
      for (const [name, each] of Object.entries(takes)) command.addArgument(each.make(name))
      for (const [name, each] of Object.entries(options)) {
        if (each !== inheritedFlag) command.addOption(each.make(name))
      }
      if (typeof prints === 'object' && !('json' in options)) command.option('--json', 'print JSON')
      addCommands(command, commands, context)
      command.action(async () => {
        // If the parent command also has an option, Commander assigns it to the parent.
        const chosen = command.optsWithGlobals()
        const input = Object.fromEntries([
          ...Object.keys(takes).map((name, index) => [name, command.processedArgs[index]]),
          ...Object.entries(options).map(([name, each]) => [name, each.typed(chosen[name])]),
        ]) as Values<Takes & Options>
        declaration.check?.(input)
        await open(context, async tools => {
          const result = await run(tools, input, context)
          if (prints !== undefined) context.print(textOf(prints, result, input, chosen['json'] === true))
        })
      })
    },
  })

/** The parts of the program that a room's command gets. */
export interface CommandContext {
  /** Prints to standard output. */
  print(text: string): void
  /** Prints to standard error. */
  complain(text: string): void
  /** Whether standard error is a terminal. */
  isTerminal: boolean
  /** From this call on, SIGTERM and SIGINT resolve this promise instead of ending the process. */
  untilStopRequested(): Promise<string>
  /** Opens the services on a current schema, and closes them after use. */
  withModules<T>(use: (modules: Modules) => Promise<T>): Promise<T>
}

/** Declares a command that uses the services. */
export const command = declare<CommandContext, Modules>((context, use) => context.withModules(use))

/** Declares a command that opens its own dependencies. */
export const plainCommand = declare<CommandContext, CommandContext>((context, use) => use(context))

/** A command that only has subcommands. */
export const group = <Context>(about: string, commands: Commands<Context>): Declared<Context> => ({
  addTo: (command, context) => addCommands(command.description(about), commands, context),
})

export function addCommands<Context>(above: Command, commands: Commands<Context>, context: Context): void {
  for (const [name, each] of Object.entries(commands)) each.addTo(above.command(name), context)
}

function textOf<Result, Input>(
  prints: Prints<Result, Input>,
  result: Result,
  input: Input,
  json: boolean,
): string {
  if (typeof prints === 'function') return `${prints(result, input)}\n`
  if ('line' in prints)
    return `${json ? JSON.stringify(prints.json(result, input)) : prints.line(result, input)}\n`
  const { rows, whenEmpty } = prints
  const shown = json ? (prints.json ?? rows)(result, input) : rows(result, input)
  return formatList(shown, {
    json,
    whenEmpty: typeof whenEmpty === 'string' ? whenEmpty : whenEmpty(input),
  })
}
