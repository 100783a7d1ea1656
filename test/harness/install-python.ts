import { installFromDebian } from './debian.ts'
import { hasPythonAndCurl } from './python.ts'

if (!hasPythonAndCurl()) installFromDebian('the tests of the code samples', 'python3', 'curl')
