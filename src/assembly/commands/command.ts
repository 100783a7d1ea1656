import { declare } from '../../platform/cli/command.ts'
import type { Context } from '../process/context.ts'

/** Declares a command that gets the whole context and opens its own dependencies. */
export const plainCommand = declare<Context, Context>((context, use) => use(context))
