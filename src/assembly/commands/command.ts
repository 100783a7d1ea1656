import type { App } from '../../app.ts'
import { declare } from '../../platform/cli/command.ts'
import { type Context, withApp } from '../process/context.ts'

/** Declares a command on the services. */
export const command = declare<Context, App>(withApp)

/** Declares a command that opens what it needs itself. */
export const plainCommand = declare<Context, Context>((context, use) => use(context))
