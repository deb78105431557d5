module slotbook/test/clients-go

go 1.19
