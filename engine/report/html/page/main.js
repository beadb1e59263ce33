// The script of report.html: script.ts makes one of it and of what it imports. It reads JSON that stands in the page.
import { startCopying } from './copy-buttons.js'
import { startExchanges } from './exchange.js'
import { startList } from './exchange-list.js'
import { startLinks } from './links.js'
import { startPrinting } from './print.js'
import { startFilters } from './requirements.js'

startExchanges()
startCopying()
startFilters()
startList()
startLinks()
startPrinting()
