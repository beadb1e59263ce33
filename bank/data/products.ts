const organisation = {
  Brand: { TrademarkID: 'UK00003141592', TrademarkIPOCode: 'UK' },
  ParentOrganisation: { OrganisationName: { LegalName: 'Assay Reference Bank plc' } },
}

const eligibility = {
  AgeRestricted: true,
  Description: 'UK residents of 18 or over with a regular income.',
  OtherFinancialHoldingRequired: false,
  PreviousBankruptcy: true,
  ResidencyRestricted: true,
}

const item = {
  APRRate: '24.9',
  AccessToOnlineDataReportingTool: true,
  AnnualFeeAmount: '0.00',
  CardScheme: 'CreditSchemeA',
  CashAdvanceRate: '27.94',
  CashWithdrawalsAllowed: true,
  ConvenienceCheque: false,
  DaysInterestFreeCreditIfPaymentFull: 56,
  ExchangeRateAdjustment: '2.95',
  IssuingEmergencyCardsFees: '0.00',
  MinimumCreditLimit: '250.00',
  PaymentDaysAfterStatement: 25,
  PurchaseRate: '24.93',
  RepaymentFrequency: 'Monthly',
  StatementAtAccountLevel: true,
  StatementAtPersonalLevel: false,
}

/** The current consumer credit cards. The travel card has every optional field, the first card has none. */
export const products: Record<string, unknown>[] = [
  {
    Description: 'A card to build credit with.',
    Details: { CCSubType: 'Regular', ConsumerCreditCardItem: { ...item, APRRate: '34.9' } },
    Eligibility: eligibility,
    KeyFeatures: 'Low starting limit, no annual fee.',
    Organisation: organisation,
    PaymentHoliday: false,
    ProductIdentifier: 'ARB-CC-FIRST',
    ProductName: 'First Credit Card',
    ProductType: 'ConsumerCreditCard',
    ProductURL: ['https://bank.example/cards/first'],
    TsandCs: ['https://bank.example/cards/first/terms'],
  },
  {
    Description: 'A card for daily spending with an introductory rate.',
    Details: {
      CCSubType: 'Promotional',
      ConsumerCreditCardItem: {
        ...item,
        BalanceTransferRate: '0.00',
        MinimumRepaymentAmount: '5.00',
        MinimumRepaymentPercentage: '1.0',
        MaximumNumberOfCardsPermitted: 4,
        OverLimitFee: '12.00',
      },
    },
    Eligibility: { ...eligibility, IncomeRelated: true, MinimumAge: 18 },
    KeyFeatures: '18 months at 0% on balance transfers.',
    Organisation: organisation,
    OtherKeyFeatures: 'Contactless and mobile wallets.',
    PaymentHoliday: true,
    ProductIdentifier: 'ARB-CC-EVERYDAY',
    ProductName: 'Everyday Credit Card',
    ProductSegment: ['General'],
    ProductType: 'ConsumerCreditCard',
    ProductURL: ['https://bank.example/cards/everyday'],
    TsandCs: ['https://bank.example/cards/everyday/terms'],
  },
  {
    Description: 'A card for those who spend abroad.',
    Details: {
      CCSubType: 'FutureMultipleTerms',
      ConsumerCreditCardItem: {
        ...item,
        AbilityToSetIndividualLimits: true,
        AnnualFeeAmount: '60.00',
        BalanceTransferRate: '19.94',
        CardScheme: 'CreditSchemeB',
        CashbackPercent: '0.5',
        ExchangeRateAdjustment: '0.00',
        MaximumNumberOfCardsPermitted: 3,
        MinimumRepaymentAmount: '25.00',
        MinimumRepaymentPercentage: '2.5',
        NonSterlingTransactionFee: '0.00',
        OverLimitFee: '12.00',
        StatementAtPersonalLevel: true,
      },
    },
    Eligibility: { ...eligibility, IncomeRelated: true, MinimumAge: 21 },
    KeyFeatures: 'No fees on non-Sterling transactions, points on every purchase.',
    Organisation: organisation,
    OtherKeyFeatures: 'Airport lounge access twice a year.',
    PaymentHoliday: false,
    ProductIdentifier: 'ARB-CC-TRAVEL',
    ProductName: 'Travel Rewards Credit Card',
    ProductSegment: ['Travel', 'Rewards'],
    ProductType: 'ConsumerCreditCard',
    ProductURL: ['https://bank.example/cards/travel', 'https://bank.example/cards'],
    TsandCs: ['https://bank.example/cards/travel/terms'],
  },
]

/** The constants of the response's meta, in the wording of the open data licence. */
export const productMeta = {
  Agreement:
    'Use of the APIs and any related data will be subject to the terms of the Open Licence and subject to terms and conditions',
  License: 'https://www.openbanking.org.uk/open-licence',
  TermsOfUse: 'https://www.openbanking.org.uk/terms',
  LastUpdated: '2023-11-06T09:00:00Z',
}
