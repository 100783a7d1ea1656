import { declare } from '../../platform/cli/command.ts'
import type { Context } from '../process/context.ts'

/** Declares a command that opens what it needs itself, with all that the program has. */
export const plainCommand = declare<Context, Context>((context, use) => use(context))
