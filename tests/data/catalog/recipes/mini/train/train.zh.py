print("训练")
